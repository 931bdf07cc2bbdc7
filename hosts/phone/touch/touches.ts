import type { Events } from "../fabric/events.ts"
import { mountedAt, type Mounted } from "../fabric/Mounted.ts"

/** A finger on the screen, or a mouse in its place. */
interface Touch {
  readonly on: Mounted
  readonly identifier: number
  pageX: number
  pageY: number
  timestamp: number
  force: number
}

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

/** The component that a touch at an element is of: what its name stands for, and not what the phone drew it with. */
const touched = (target: EventTarget | null): Mounted | undefined =>
  target instanceof Node ? mountedAt(target) : undefined

/** Tells React of fingers, as a phone does. */
export interface Touches {
  readonly start: (pointer: PointerEvent) => void
  readonly move: (pointer: PointerEvent) => void
  readonly end: (pointer: PointerEvent) => void
  /** The touch becomes something else, as the scrolling of a list. */
  readonly cancel: (pointerId: number) => void
}

export const makeTouches = (events: Events): Touches => {
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
