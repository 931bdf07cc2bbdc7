import type { Events } from "../fabric/events.ts"
import { mountedAt } from "../fabric/Mounted.ts"
import type { Touches } from "./touches.ts"

/** Which key presses what has the keyboard. */
const presses = (event: KeyboardEvent): boolean => event.key === "Enter" || event.key === " "

/** What a key does to something that can be set higher and lower. */
const adjustments: Readonly<Record<string, string>> = {
  ArrowUp: "increment",
  ArrowRight: "increment",
  ArrowDown: "decrement",
  ArrowLeft: "decrement"
}

/** Has the arrow keys set higher and lower what can be, as the gestures of a phone's screen reader do. */
export const adjustByKeys = (events: Events): void => {
  document.addEventListener("keydown", (event) => {
    const actionName = adjustments[event.key]
    const at = document.activeElement
    if (actionName === undefined || at === null || !at.matches("[role=slider]:not(input)")) return
    const mounted = mountedAt(at)
    if (mounted === undefined) return
    event.preventDefault()
    events.emit(mounted.family, "topAccessibilityAction", { actionName })
  })
}

/** Has Enter and Space press what has the keyboard, as a finger at its centre would. */
export const pressByKeys = (touches: Touches): void => {
  document.addEventListener("keydown", (event) => {
    const at = document.activeElement
    if (!presses(event) || event.repeat || !(at instanceof HTMLElement) || at.tabIndex < 0) return
    if (at.matches("input, textarea, [role=switch]") || at.dataset["phoneKeys"] !== undefined) return
    event.preventDefault()
    const { height, width, x, y } = at.getBoundingClientRect()
    const press = (type: string) => {
      const pointer = new PointerEvent(type, { pointerId: -2, clientX: x + width / 2, clientY: y + height / 2 })
      Object.defineProperty(pointer, "target", { value: at })
      return pointer
    }
    touches.start(press("pointerdown"))
    setTimeout(() => touches.end(press("pointerup")), 50)
  })
}
