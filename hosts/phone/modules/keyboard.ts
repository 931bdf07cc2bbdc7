import { screenSize } from "../runtime/device.ts"
import { element } from "../views/element.ts"
import { isTyped, keyboardHeight } from "../views/keyboardHeight.ts"
import { listening, type Modules } from "./Host.ts"

/** How long it takes to come, in milliseconds. */
const duration = 250

/**
 * The keyboard: where it would be on a phone there is a veil, so that one sees what it covers, and can still get at it.
 * One types on one's own.
 */
export const keyboard: Modules = ({ callable, surface }) => {
  const done = document.createElement("button")
  const panel = element("", done)
  let height = 0

  done.textContent = "Done"
  done.ariaLabel = "Close the keyboard"
  done.style.cssText =
    "position:absolute;right:12px;top:10px;border:0;background:none;color:#0055b3;" +
    "font:600 17px system-ui;pointer-events:auto"
  panel.style.cssText =
    "position:absolute;left:0;right:0;bottom:0;z-index:2;box-sizing:border-box;padding:14px 84px 14px 14px;background:#d1d3d9b3;" +
    "color:#3c3c43;pointer-events:none"
  panel.append("A phone’s keyboard is here; type on your own.")
  // A touch on it keeps the focus.
  done.addEventListener("pointerdown", (event) => event.stopPropagation())
  done.addEventListener("mousedown", (event) => event.preventDefault())
  done.addEventListener("click", () => {
    const { activeElement } = document
    if (activeElement instanceof HTMLElement) activeElement.blur()
  })

  const place = (by: number) => {
    const { height, width } = screenSize()
    return { screenX: 0, screenY: height - by, width, height: by }
  }

  const tell = (to: number): void => {
    const event = {
      startCoordinates: place(height),
      endCoordinates: { ...place(to), height: to === 0 ? keyboardHeight() : to },
      duration,
      easing: "keyboard",
      isEventFromThisApp: true
    }
    const word = to === 0 ? "Hide" : "Show"
    height = to
    for (const name of [`keyboardWill${word}`, "keyboardWillChangeFrame"]) callable.emit(name, event)
    setTimeout(() => {
      for (const name of [`keyboardDid${word}`, "keyboardDidChangeFrame"]) callable.emit(name, event)
    }, duration)
  }

  let isDue = false
  const look = (): void => {
    isDue = false
    const isWanted = isTyped(document.activeElement)
    if (isWanted === height > 0) return
    const to = isWanted ? keyboardHeight() : 0
    if (isWanted) {
      panel.style.height = `${to}px`
      surface.element.append(panel)
    } else panel.remove()
    tell(to)
  }
  const lookSoon = (): void => {
    if (isDue) return
    isDue = true
    setTimeout(look)
  }
  surface.element.addEventListener("focusin", lookSoon)
  surface.element.addEventListener("focusout", lookSoon)
  // A touch elsewhere while typing keeps the focus, until the app dismisses the keyboard.
  surface.element.addEventListener("mousedown", (event) => {
    if (height > 0 && event.target instanceof Element && event.target.closest("input, textarea, button") === null) {
      event.preventDefault()
    }
  })
  return { KeyboardObserver: listening }
}
