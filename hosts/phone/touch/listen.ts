import { outsideMouseIn } from "./outsideMouse.ts"
import type { Events } from "../fabric/events.ts"
import { makeDragging } from "./dragging.ts"
import { adjustByKeys, pressByKeys } from "./keys.ts"
import { makeTouches } from "./touches.ts"

/** The number by which every browser knows its first mouse. */
const mouse = 1

/** Listens to fingers, the mouse and the keyboard on the screen of the app. */
export const listenToTouches = (root: HTMLElement, events: Events, isBlocked: () => boolean): void => {
  const touches = makeTouches(events)
  const dragging = makeDragging(isBlocked, touches.cancel, ({ isTrusted, pointerId }) => {
    // A flow’s finger is none that the browser knows.
    if (isTrusted && !root.hasPointerCapture(pointerId)) root.setPointerCapture(pointerId)
  })
  const options = { capture: true, passive: true }
  root.addEventListener(
    "pointerdown",
    (pointer) => {
      if (pointer.pointerType === "mouse" && pointer.button !== 0) return
      // The browser gives a touch to where it began; a phone tells where the finger is.
      if (pointer.target instanceof Element && pointer.target.hasPointerCapture(pointer.pointerId)) {
        pointer.target.releasePointerCapture(pointer.pointerId)
      }
      touches.start(pointer)
      dragging.start(pointer)
    },
    options
  )
  document.addEventListener(
    "pointermove",
    (pointer) => {
      touches.move(pointer)
      dragging.move(pointer)
    },
    options
  )
  document.addEventListener(
    "pointerup",
    (pointer) => {
      dragging.end(pointer)
      touches.end(pointer)
    },
    options
  )
  document.addEventListener(
    "pointercancel",
    (pointer) => {
      dragging.end(pointer)
      touches.cancel(pointer.pointerId)
    },
    options
  )
  root.addEventListener(
    "touchmove",
    (event) => {
      if (isBlocked() && event.cancelable) event.preventDefault()
    },
    { passive: false }
  )
  window.addEventListener("message", ({ data, source }) => {
    const outside = source === window.parent ? outsideMouseIn(data) : undefined
    if (outside === undefined) return
    const { type, x: clientX, y: clientY } = outside
    document.dispatchEvent(new PointerEvent(type, { pointerId: mouse, pointerType: "mouse", clientX, clientY }))
  })
  pressByKeys(touches)
  adjustByKeys(events)
}
