import { numberIn, textIn, type Fields } from "../runtime/decode.ts"
import type { Component, Drawing } from "./Component.ts"
import { element } from "./element.ts"
import { cutText } from "./ellipsis.ts"
import { fitText } from "./fitText.ts"
import { freeText, measureText } from "./measureText.ts"

/** The lines that a text is broken into, where they are and what they say. */
const linesOf = (drawn: HTMLElement): ReadonlyArray<Fields> => {
  const around = drawn.getBoundingClientRect()
  const range = document.createRange()
  const lines: Array<{ x: number; y: number; width: number; height: number; text: string }> = []
  const nodes = document.createTreeWalker(drawn, NodeFilter.SHOW_TEXT)
  for (let node = nodes.nextNode(); node !== null; node = nodes.nextNode()) {
    const text = node.textContent ?? ""
    for (let at = 0; at < text.length; at += 1) {
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      const place = range.getClientRects()[0]
      if (place === undefined) continue
      const last = lines.at(-1)
      // A character that begins left of the last one's end, and lower, begins a line.
      if (last === undefined || place.top - around.top > last.y + last.height / 2) {
        const { height, width, x, y } = place
        lines.push({ x: x - around.x, y: y - around.y, width, height, text: text.charAt(at) })
      } else {
        last.width = Math.max(last.width, place.right - around.x - last.x)
        last.text += text.charAt(at)
      }
    }
  }
  return lines.map((line) => ({
    ...line,
    ascender: line.height * 0.8,
    descender: line.height * 0.2,
    capHeight: 0,
    xHeight: 0
  }))
}

/** The most characters of a text whose lines are reported: finding them takes a while. */
const maxReported = 5000

/** Shows that it is pressed, as iOS does of its own. */
const light = (drawn: HTMLElement, props: Fields): void => {
  drawn.classList.toggle("lit", props["isHighlighted"] === true)
}

/** A paragraph: text, and what stands within it. */
export const text: Component = (own): Drawing => {
  const drawn = element("text")
  return {
    element: drawn,
    isText: true,
    prepare: () => freeText(drawn),
    measure: (room) => {
      own.layOutInline()
      return fitText(drawn, own.props(), room, (within) => measureText(drawn, within))
    },
    laidOut: () => {
      cutText(drawn, own.props())
      if (own.props()["onTextLayout"] !== true || (drawn.textContent?.length ?? 0) > maxReported) return
      // Where it is in the document is seen when the whole commit is there.
      queueMicrotask(() => own.emit("topTextLayout", { lines: linesOf(drawn), target: own.tag }))
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
      style.wordBreak = props["lineBreakStrategyIOS"] === "hangul-word" ? "keep-all" : ""
      light(drawn, props)
      if (props["selectable"] !== before["selectable"]) style.userSelect = props["selectable"] === true ? "text" : ""
    }
  }
}

/** A text within another. */
export const span: Component = (): Drawing => {
  const drawn = document.createElement("span")
  drawn.className = "span"
  return { element: drawn, isText: true, update: (props) => light(drawn, props) }
}

/** What characters have for an element: they have no style. */
const noElement = document.createElement("span")

/** The characters. */
export const characters: Component = (): Drawing => {
  const node = document.createTextNode("")
  return {
    element: noElement,
    node,
    isText: true,
    update: (props) => {
      node.data = textIn(props["text"]) ?? ""
    }
  }
}
