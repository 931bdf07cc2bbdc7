import { screenSize } from "../runtime/device.ts"

/** How high the keyboard is, upright and on the side, in points. */
const heights = { upright: 291, onSide: 200 }

/** How high the keyboard is as the phone is held now, in points. */
export const keyboardHeight = (): number => {
  const { height, width } = screenSize()
  return height > width ? heights.upright : heights.onSide
}

/** Whether the keyboard comes up for what has the focus: a field that may be written in. */
export const isTyped = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches("input.input, textarea.input") &&
  !target.hasAttribute("readonly") &&
  target.inputMode !== "none"
