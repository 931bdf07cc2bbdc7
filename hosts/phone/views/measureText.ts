import type { Room, Size } from "./Component.ts"
import { ruler } from "./ruler.ts"

/** How wide an element is with what is around its content, in points, as nothing scales it. */
const outerWidth = (used: CSSStyleDeclaration): number =>
  [used.width, used.paddingLeft, used.paddingRight, used.borderLeftWidth, used.borderRightWidth]
    .map(Number.parseFloat)
    .reduce((sum, width) => sum + width)

/** How wide the widest line of a text is, in points, whatever it is scaled by. */
const widestLine = (drawn: HTMLElement, used: CSSStyleDeclaration, width: number): number => {
  const range = document.createRange()
  range.selectNodeContents(drawn)
  let left = Number.POSITIVE_INFINITY
  let right = Number.NEGATIVE_INFINITY
  for (const line of range.getClientRects()) {
    left = Math.min(left, line.left)
    right = Math.max(right, line.right)
  }
  const scale = drawn.getBoundingClientRect().width / outerWidth(used)
  // What isn't scaled differs by the rounding of the browser's own sizes.
  const by = Math.abs(scale - 1) < 0.02 || !(scale > 0) ? 1 : scale
  return right > left ? Math.min(width, (right - left) / by) : width
}

/**
 * Gives a text all the room that it likes, where it is or on the ruler. The browser lays out what was changed whenever a size
 * is asked for, so many texts are freed before the first of them is measured.
 */
export const freeText = (drawn: HTMLElement): void => {
  if (!drawn.isConnected) ruler().append(drawn)
  const { style } = drawn
  // What is around it isn't measured; once it is laid out, it is a part of its size.
  style.boxSizing = "content-box"
  style.height = "auto"
  style.width = "max-content"
}

/** How large a text is when it has so much room. */
export const measureText = (drawn: HTMLElement, room: Room): Size => {
  freeText(drawn)
  const { style } = drawn
  const used = getComputedStyle(drawn)
  const width = Number.parseFloat(used.width)
  if (room === undefined || width <= room) return { width, height: Number.parseFloat(used.height) }
  style.width = `${room}px`
  return { width: widestLine(drawn, used, room), height: Number.parseFloat(used.height) }
}
