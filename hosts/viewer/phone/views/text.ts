import { numberIn, textIn } from "../runtime/decode.ts"
import type { Component, Drawing, Room, Size } from "./Component.ts"
import { element } from "./element.ts"
import { ruler } from "./ruler.ts"

/** How wide the widest line of a text is, in points, whatever it is scaled by. */
const widestLine = (drawn: HTMLElement, width: number): number => {
  const range = document.createRange()
  range.selectNodeContents(drawn)
  const whole = drawn.getBoundingClientRect()
  if (whole.width === 0) return width
  let left = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  for (const line of range.getClientRects()) {
    left = Math.min(left, line.left)
    right = Math.max(right, line.right)
  }
  return right > left ? Math.min(width, ((right - left) * drawn.offsetWidth) / whole.width) : width
}

/** How large a text is when it has so much room. Its element is measured where it is, or on the ruler. */
export const measureText = (drawn: HTMLElement, room: Room): Size => {
  if (!drawn.isConnected) ruler().append(drawn)
  const { style } = drawn
  const used = getComputedStyle(drawn)
  style.height = "auto"
  style.width = "max-content"
  const width = Number.parseFloat(used.width)
  if (room === undefined || width <= room) return { width, height: Number.parseFloat(used.height) }
  style.width = `${room}px`
  return { width: widestLine(drawn, room), height: Number.parseFloat(used.height) }
}

/** A paragraph: text, and what stands within it. */
export const text: Component = (own): Drawing => {
  const drawn = element("text")
  return {
    element: drawn,
    isText: true,
    measure: (room) => {
      own.layOutInline()
      return measureText(drawn, room)
    },
    update: (props, before) => {
      const { style } = drawn
      if (props["numberOfLines"] !== before["numberOfLines"] || props["ellipsizeMode"] !== before["ellipsizeMode"]) {
        const lines = numberIn(props["numberOfLines"]) ?? 0
        const isCut = props["ellipsizeMode"] === "clip"
        style.display = lines > 0 ? "-webkit-box" : ""
        style.setProperty("-webkit-box-orient", lines > 0 ? "vertical" : "")
        style.setProperty("-webkit-line-clamp", lines > 0 && !isCut ? String(lines) : "")
        style.maxHeight = lines > 0 && isCut ? `${lines}lh` : ""
        style.overflow = lines > 0 ? "hidden" : ""
      }
      if (props["selectable"] !== before["selectable"]) style.userSelect = props["selectable"] === true ? "text" : ""
    }
  }
}

/** A text within another. */
export const span: Component = (): Drawing => {
  const drawn = document.createElement("span")
  drawn.className = "span"
  return { element: drawn, isText: true }
}

/** The characters. */
export const characters: Component = (): Drawing => {
  const drawn = document.createElement("span")
  return {
    element: drawn,
    isText: true,
    update: (props) => {
      drawn.textContent = textIn(props["text"]) ?? ""
    }
  }
}
