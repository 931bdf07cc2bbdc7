import { device, isOnSide } from "../runtime/device.ts"

/** How high the keyboard is, upright and on the side, in points. */
const heights = {
  phone: { upright: 291, onSide: 200 },
  pad: { upright: 320, onSide: 400 }
}

/** The space below the keys, where the home indicator is. */
const below = 75

/** How high the keyboard is as the phone is held now, in points. */
export const keyboardHeight = (): number => {
  const { hasHomeIndicator = true, kind = "phone" } = device() ?? {}
  if (isOnSide()) return heights[kind].onSide
  return heights[kind].upright - (hasHomeIndicator ? 0 : below)
}

/** Whether the keyboard comes up for what has the focus: a field that may be written in. */
export const isTyped = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  target.matches("input.input, textarea.input") &&
  !target.hasAttribute("readonly") &&
  target.inputMode !== "none"
