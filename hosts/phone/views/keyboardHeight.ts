import { device, isOnSide } from "../runtime/device.ts"
import type { Field } from "./keys.ts"

/** How long the keyboard takes to come or to go, in milliseconds. */
export const keyboardDuration = 250

const listeners = new Set<(height: number) => void>()

/** Calls `listener` when the keyboard begins to come or to go, with its height then; answers what ends that. */
export const onKeyboard = (listener: (height: number) => void): (() => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** Says that the keyboard begins to come or to go. */
export const keyboardMoves = (height: number): void => {
  for (const listener of listeners) listener(height)
}

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
export const isTyped = (target: EventTarget | null): target is Field =>
  (target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement) &&
  target.matches(".input") &&
  !target.hasAttribute("readonly") &&
  target.inputMode !== "none"
