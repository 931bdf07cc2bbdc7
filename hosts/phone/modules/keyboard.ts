import { isAndroid, isDark, onBack, screenSize } from "../runtime/device.ts"
import { element } from "../views/Component.ts"
import {
  type Field,
  isTyped,
  keyboardDuration as duration,
  keyboardHeight,
  keyboardMoves,
  makeKeys
} from "../views/keyboard.ts"
import { eventMethods, type Modules } from "./Host.ts"

/** What has the focus, if that is a field that may be written in. */
const typedField = (): Field | undefined => (isTyped(document.activeElement) ? document.activeElement : undefined)

/** Whether a field can't be seen any more, or another screen was pushed over that of the field. */
const isLeft = (field: Field): boolean =>
  !field.checkVisibility({ visibilityProperty: true }) ||
  field.closest(".screen")?.nextElementSibling?.matches(".screen") === true

/** The keyboard. People type on its keys or on their own. */
export const keyboard: Modules = ({ callable, surface }) => {
  const done = document.createElement("button")
  const keys = makeKeys(typedField)
  const panel = element("", keys.element, done)
  let height = 0
  let leaveBack = (): void => {}

  done.textContent = "⌄"
  done.ariaLabel = "Close the keyboard"
  done.style.cssText =
    "position:absolute;right:12px;bottom:6px;width:44px;height:44px;border:0;background:none;color:inherit;font:22px var(--system-fonts)"
  // A touch on it keeps the focus, and isn't one of the app.
  panel.addEventListener("pointerdown", (event) => event.stopPropagation())
  panel.addEventListener("mousedown", (event) => event.preventDefault())
  done.addEventListener("click", () => typedField()?.blur())

  const place = (by: number) => {
    const { height, width } = screenSize()
    return { screenX: 0, screenY: height - by, width, height: by }
  }

  const emitEvents = (to: number): void => {
    const event = {
      startCoordinates: place(height),
      endCoordinates: { ...place(to), height: to === 0 ? keyboardHeight() : to },
      duration,
      easing: "keyboard",
      isEventFromThisApp: true
    }
    const word = to === 0 ? "Hide" : "Show"
    height = to
    // Android has no events before the keyboard comes.
    const before = isAndroid() ? [] : [`keyboardWill${word}`, "keyboardWillChangeFrame"]
    for (const name of before) callable.emit(name, event)
    keyboardMoves(to)
    setTimeout(() => {
      const after = [`keyboardDid${word}`, ...(isAndroid() ? [] : ["keyboardDidChangeFrame"])]
      for (const name of after) callable.emit(name, event)
    }, duration)
  }

  let isDue = false
  let shownFor: Field | undefined
  const look = (): void => {
    isDue = false
    const field = typedField()
    if (field !== undefined && isLeft(field)) field.blur()
    const isWanted = typedField() !== undefined
    if (isWanted && field !== undefined && field !== shownFor) keys.show(field)
    shownFor = isWanted ? field : undefined
    if (isWanted === height > 0) return
    const to = isWanted ? keyboardHeight() : 0
    if (isWanted) {
      panel.style.cssText =
        `position:absolute;left:0;right:0;bottom:0;height:${to}px;z-index:2;` +
        (isDark() ? "background:#1f1f21;color:#fff" : "background:#d1d3d9;color:#000")
      leaveBack = onBack(() => typedField()?.blur())
      surface.element.append(panel)
      screens.observe(surface.element, { childList: true, subtree: true, attributeFilter: ["class", "style"] })
    } else {
      leaveBack()
      panel.remove()
      screens.disconnect()
    }
    emitEvents(to)
  }
  const lookSoon = (): void => {
    if (isDue) return
    isDue = true
    setTimeout(look)
  }
  // A field that leaves the document loses the focus without an event.
  const screens = new MutationObserver(lookSoon)
  surface.element.addEventListener("focusin", lookSoon)
  surface.element.addEventListener("focusout", lookSoon)
  // A touch elsewhere while typing keeps the focus, until the app dismisses the keyboard.
  surface.element.addEventListener("mousedown", (event) => {
    if (height > 0 && event.target instanceof Element && event.target.closest("input, textarea, button") === null) {
      event.preventDefault()
    }
  })
  return { KeyboardObserver: eventMethods }
}
