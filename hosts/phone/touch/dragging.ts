import { scrollersAround, type Scroller } from "../views/scroller.ts"

/** How far a mouse moves until it drags, in points. */
const threshold = 8

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

/**
 * A mouse drags what scrolls, as a finger does. Fingers themselves are left to the browser, which scrolls more
 * smoothly, but for what it can't move. `cancel` is called when a press becomes a drag, and `hold` with everything that moves: it is followed
 * beyond the screen as well.
 */
export const makeDragging = (
  isTaken: IsTaken,
  cancel: (pointerId: number) => void,
  hold: (pointer: PointerEvent) => void
) => {
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
