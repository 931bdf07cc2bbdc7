/** Fingers, the mouse and keys on the screen of the app. */
import { type Mounted, mountedAt } from "./fabric/ShadowTree.ts"
import type { Events } from "./fabric/events.ts"
import { outsideMouseIn } from "./settings/messages.ts"
import { type Scroller, scrollersAround } from "./views/scrollView.ts"

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

/** The number by which every browser knows its first mouse. */
const mouse = 1

/** Tells React of fingers, as a phone does. */
interface Touches {
  readonly start: (pointer: PointerEvent) => void
  readonly move: (pointer: PointerEvent) => void
  readonly end: (pointer: PointerEvent) => void
  /** The touch becomes something else, as the scrolling of a list. */
  readonly cancel: (pointerId: number) => void
}

const makeTouches = (events: Events): Touches => {
  const touches = new Map<number, Touch>()

  const free = (): number => {
    const taken = new Set(Array.from(touches.values(), ({ identifier }) => identifier))
    let next = 0
    while (taken.has(next)) next += 1
    return next
  }

  const tell = (name: string, touch: Touch): void => {
    const changed = fieldsOf(touch)
    const all = Array.from(touches.values(), fieldsOf)
    events.emit(touch.on.family, name, {
      ...changed,
      touches: all,
      changedTouches: [changed],
      targetTouches: all.filter(({ target }) => target === changed.target)
    })
  }

  const take = (pointer: PointerEvent): Touch | undefined => {
    const touch = touches.get(pointer.pointerId)
    if (touch === undefined) return undefined
    touch.pageX = pointer.clientX
    touch.pageY = pointer.clientY
    touch.timestamp = pointer.timeStamp
    touch.force = pointer.pressure
    return touch
  }

  const finish = (name: string, pointerId: number, touch: Touch | undefined): void => {
    if (touch === undefined) return
    touches.delete(pointerId)
    tell(name, touch)
  }

  return {
    start: (pointer) => {
      const on = touched(pointer.target)
      if (on === undefined) return
      const touch = { on, identifier: free(), pageX: 0, pageY: 0, timestamp: 0, force: 0 }
      touches.set(pointer.pointerId, touch)
      take(pointer)
      tell("topTouchStart", touch)
    },
    move: (pointer) => {
      const touch = take(pointer)
      if (touch !== undefined) tell("topTouchMove", touch)
    },
    end: (pointer) => finish("topTouchEnd", pointer.pointerId, take(pointer)),
    cancel: (pointerId) => finish("topTouchCancel", pointerId, touches.get(pointerId))
  }
}

/** A finger on the screen, or a mouse in its place. */
interface Touch {
  readonly on: Mounted
  readonly identifier: number
  pageX: number
  pageY: number
  timestamp: number
  force: number
}

/** The component that a touch at an element is of: what its name stands for, and not what the phone drew it with. */
const touched = (target: EventTarget | null): Mounted | undefined =>
  target instanceof Node ? mountedAt(target) : undefined

/** The fields of a finger in an event. */
const fieldsOf = ({ force, identifier, on, pageX, pageY, timestamp }: Touch) => {
  const place = on.drawing.element.getBoundingClientRect()
  return {
    identifier,
    target: on.family.tag,
    pageX,
    pageY,
    screenX: pageX,
    screenY: pageY,
    locationX: pageX - place.x,
    locationY: pageY - place.y,
    timestamp,
    force
  }
}

/**
 * A mouse drags what scrolls, as a finger does. Fingers themselves are left to the browser, which scrolls more
 * smoothly, but for what it can't move. `cancel` is called when a press becomes a drag, and `hold` with everything that moves: it is followed
 * beyond the screen as well.
 */
const makeDragging = (isTaken: IsTaken, cancel: (pointerId: number) => void, hold: (pointer: PointerEvent) => void) => {
  let held: Held | undefined

  return {
    start: (pointer: PointerEvent): void => {
      if (pointer.pointerType === "mouse" ? pointer.button !== 0 : !pointer.isPrimary) return
      if (!(pointer.target instanceof Element)) return
      if (pointer.target.closest("input, textarea") !== null) return
      const { clientX: x, clientY: y, pointerId, target, timeStamp: time } = pointer
      held = { pointerId, startX: x, startY: y, target, x, y, time, velocityX: 0, velocityY: 0, scroller: undefined }
    },
    move: (pointer: PointerEvent): void => {
      if (held?.pointerId !== pointer.pointerId) return
      const [byX, byY] = [pointer.clientX - held.x, pointer.clientY - held.y]
      const passed = Math.max(1, pointer.timeStamp - held.time)
      if (held.scroller === undefined) {
        const [x, y] = [pointer.clientX - held.startX, pointer.clientY - held.startY]
        if (Math.hypot(x, y) < threshold) return
        const isMouse = pointer.pointerType === "mouse"
        if (isMouse) hold(pointer)
        if (isTaken()) return
        const { startX, target } = held
        const scroller = scrollersAround(target).find(({ takes }) => takes(x, y, startX))
        if (scroller === undefined || (!isMouse && scroller.isForFingers !== true)) {
          held = undefined
          return
        }
        held.scroller = scroller
        hold(pointer)
        cancel(pointer.pointerId)
        scroller.begin()
        scroller.move(x, y)
      } else held.scroller.move(byX, byY)
      Object.assign(held, {
        x: pointer.clientX,
        y: pointer.clientY,
        time: pointer.timeStamp,
        velocityX: byX / passed,
        velocityY: byY / passed
      })
    },
    end: (pointer: PointerEvent): void => {
      if (held?.pointerId !== pointer.pointerId) return
      const { scroller, time, velocityX, velocityY } = held
      held = undefined
      // Who stops before letting go throws nothing.
      const isThrown = pointer.timeStamp - time < 100
      scroller?.end(isThrown ? velocityX : 0, isThrown ? velocityY : 0)
    }
  }
}

/** Whether something of the app's own follows the finger, so that nothing may be scrolled beneath it. */
type IsTaken = () => boolean

interface Held {
  readonly pointerId: number
  readonly startX: number
  readonly startY: number
  readonly target: Element
  x: number
  y: number
  time: number
  velocityX: number
  velocityY: number
  scroller: Scroller | undefined
}

/** How far a mouse moves until it drags, in points. */
const threshold = 8

/** Has Enter and Space press what has the keyboard, as a finger at its centre would. */
const pressByKeys = (touches: Touches): void => {
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

/** Which key presses what has the keyboard. */
const presses = (event: KeyboardEvent): boolean => event.key === "Enter" || event.key === " "

/** Has the arrow keys set higher and lower what can be, as the gestures of a phone's screen reader do. */
const adjustByKeys = (events: Events): void => {
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

/** What a key does to something that can be set higher and lower. */
const adjustments: Readonly<Record<string, string>> = {
  ArrowUp: "increment",
  ArrowRight: "increment",
  ArrowDown: "decrement",
  ArrowLeft: "decrement"
}
