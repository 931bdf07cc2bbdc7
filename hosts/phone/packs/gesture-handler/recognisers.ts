import { numberIn, type Fields } from "../../runtime/decode.ts"
import { State, type Finger, type MakeRecogniser } from "./Recogniser.ts"

const number = (config: Fields, name: string, otherwise: number): number => numberIn(config[name]) ?? otherwise

const middle = (fingers: ReadonlyArray<Finger>): { readonly x: number; readonly y: number } => {
  const count = Math.max(1, fingers.length)
  return {
    x: fingers.reduce((sum, { x }) => sum + x, 0) / count,
    y: fingers.reduce((sum, { y }) => sum + y, 0) / count
  }
}

const away = (one: { readonly x: number; readonly y: number }, other: { readonly x: number; readonly y: number }) =>
  Math.hypot(one.x - other.x, one.y - other.y)

const nothing = (): Fields => ({})

/** Taps: short, as many as are asked for, and not far from each other. */
const tap: MakeRecogniser = (config, later) => {
  let start: Finger | undefined
  let taps = 0
  return {
    down: (fingers) => {
      start = fingers[0]
      later(number(config(), "maxDurationMs", 500), State.failed)
      return fingers.length > number(config(), "maxNumberOfPointers", 10) ? State.failed : State.began
    },
    move: (fingers) => {
      const [finger] = fingers
      const most = number(config(), "maxDist", number(config(), "maxDeltaX", 20))
      return start !== undefined && finger !== undefined && away(start, finger) > most ? State.failed : undefined
    },
    up: (fingers) => {
      if (fingers.length > 0) return undefined
      taps += 1
      if (taps >= number(config(), "numberOfTaps", 1)) return State.active
      later(number(config(), "maxDelayMs", 300), State.failed)
      return undefined
    },
    data: nothing,
    reset: () => {
      taps = 0
      start = undefined
    }
  }
}

/** A finger that stays where it is. */
const longPress: MakeRecogniser = (config, later) => {
  let start: Finger | undefined
  let now: Finger | undefined
  return {
    down: (fingers) => {
      start ??= fingers[0]
      now = start
      later(number(config(), "minDurationMs", 500), State.active)
      return State.began
    },
    move: (fingers, isActive) => {
      now = fingers[0]
      const isAway = start !== undefined && now !== undefined && away(start, now) > number(config(), "maxDist", 10)
      return isAway ? (isActive ? State.cancelled : State.failed) : undefined
    },
    up: (fingers, last, isActive) => {
      now = last
      return fingers.length > 0 ? undefined : isActive ? State.end : State.failed
    },
    data: () => ({ duration: start === undefined || now === undefined ? 0 : now.time - start.time }),
    reset: () => {
      start = undefined
    }
  }
}

/** How far a finger moves until it is a movement, in points. */
const slop = 10

const isBeyond = (value: number, [low, high]: readonly [number, number]): boolean => value < low || value > high

const bounds = (config: Fields, name: string): readonly [number, number] => [
  number(config, `${name}Start`, Number.NEGATIVE_INFINITY),
  number(config, `${name}End`, Number.POSITIVE_INFINITY)
]

const names = ["activeOffsetX", "activeOffsetY", "minDist", "minVelocity", "minVelocityX", "minVelocityY"]

/** A finger that moves, or several together. */
const pan: MakeRecogniser = (config, later) => {
  let start = { x: 0, y: 0 }
  let now = start
  let count = 0
  let last = { ...start, time: 0 }
  let velocity = { x: 0, y: 0 }

  const isOwn = (): boolean =>
    names.some((name) => name in config() || `${name}Start` in config() || `${name}End` in config())

  const wants = (): boolean => {
    const asked = config()
    const by = { x: now.x - start.x, y: now.y - start.y }
    const isSet = (name: string) => `${name}Start` in asked || `${name}End` in asked
    if (isSet("activeOffsetX") && isBeyond(by.x, bounds(asked, "activeOffsetX"))) return true
    if (isSet("activeOffsetY") && isBeyond(by.y, bounds(asked, "activeOffsetY"))) return true
    const least = numberIn(asked["minDist"]) ?? (isOwn() ? Number.POSITIVE_INFINITY : slop)
    return Math.hypot(by.x, by.y) >= least
  }

  const fails = (): boolean => {
    const asked = config()
    return (
      isBeyond(now.x - start.x, bounds(asked, "failOffsetX")) || isBeyond(now.y - start.y, bounds(asked, "failOffsetY"))
    )
  }

  const measure = (fingers: ReadonlyArray<Finger>): void => {
    const next = middle(fingers)
    // Where a finger comes or goes the middle jumps, and nothing has moved.
    if (fingers.length !== count) {
      start = { x: start.x + next.x - now.x, y: start.y + next.y - now.y }
      count = fingers.length
      last = { ...next, time: last.time }
    }
    now = next
    const time = fingers[0]?.time ?? last.time
    const passed = time - last.time
    if (passed <= 0) return
    velocity = { x: ((now.x - last.x) / passed) * 1000, y: ((now.y - last.y) / passed) * 1000 }
    last = { ...now, time }
  }

  return {
    down: (fingers) => {
      if (fingers.length === 1) {
        now = middle(fingers)
        start = now
        count = 1
        last = { ...now, time: fingers[0]?.time ?? 0 }
        velocity = { x: 0, y: 0 }
        const wait = number(config(), "activateAfterLongPress", 0)
        if (wait > 0) later(wait, State.active)
      } else measure(fingers)
      return fingers.length > number(config(), "maxPointers", 10) ? State.failed : State.began
    },
    move: (fingers, isActive) => {
      measure(fingers)
      if (isActive || fingers.length < number(config(), "minPointers", 1)) return undefined
      if (fails()) return State.failed
      if (!wants()) return undefined
      return number(config(), "activateAfterLongPress", 0) > 0 ? State.failed : State.active
    },
    up: (fingers, gone, isActive) => {
      if (fingers.length > 0) {
        measure(fingers)
        return undefined
      }
      now = gone
      return isActive ? State.end : State.failed
    },
    data: () => ({
      translationX: now.x - start.x,
      translationY: now.y - start.y,
      velocityX: velocity.x,
      velocityY: velocity.y,
      stylusData: undefined
    }),
    reset: () => {
      count = 0
    }
  }
}

/** A finger that is thrown in a direction. */
const fling: MakeRecogniser = (config, later) => {
  let start: Finger | undefined
  return {
    down: (fingers) => {
      start = fingers[0]
      later(800, State.failed)
      return State.began
    },
    move: (fingers) => {
      const [now] = fingers
      if (start === undefined || now === undefined) return undefined
      const [x, y, passed] = [now.x - start.x, now.y - start.y, Math.max(1, now.time - start.time)]
      const far = Math.hypot(x, y)
      if (far < 30 || far / passed < 0.3) return undefined
      const direction = Math.abs(x) > Math.abs(y) ? (x > 0 ? 1 : 2) : y < 0 ? 4 : 8
      return (number(config(), "direction", 1) & direction) === 0 ? State.failed : State.active
    },
    up: (fingers, _last, isActive) => (fingers.length > 0 ? undefined : isActive ? State.end : State.failed),
    data: nothing,
    reset: () => {
      start = undefined
    }
  }
}

interface Pair {
  readonly distance: number
  readonly angle: number
}

const pairOf = ([one, other]: ReadonlyArray<Finger>): Pair | undefined =>
  one === undefined || other === undefined
    ? undefined
    : { distance: away(one, other), angle: Math.atan2(other.y - one.y, other.x - one.x) }

/** Two fingers: `wants` returns whether they have begun, `fields` the event's fields. */
const twoFingers =
  (
    wants: (start: Pair, now: Pair) => boolean,
    fields: (start: Pair, now: Pair, at: Fields) => Fields
  ): MakeRecogniser =>
  () => {
    let start: Pair | undefined
    let now: Pair | undefined
    let at = { x: 0, y: 0 }
    const look = (fingers: ReadonlyArray<Finger>): void => {
      now = pairOf(fingers)
      if (now !== undefined) at = middle(fingers)
      start = now === undefined ? start : (start ?? now)
    }
    return {
      down: (fingers) => {
        look(fingers)
        return State.began
      },
      move: (fingers, isActive) => {
        look(fingers)
        return !isActive && start !== undefined && now !== undefined && wants(start, now) ? State.active : undefined
      },
      up: (fingers, _last, isActive) => (fingers.length > 1 ? undefined : isActive ? State.end : State.failed),
      data: () => fields(start ?? { distance: 1, angle: 0 }, now ?? start ?? { distance: 1, angle: 0 }, at),
      reset: () => {
        start = undefined
        now = undefined
      }
    }
  }

const pinch = twoFingers(
  (start, now) => Math.abs(now.distance - start.distance) > slop,
  (start, now, { x, y }) => ({ scale: now.distance / Math.max(1, start.distance), focalX: x, focalY: y, velocity: 0 })
)

const rotation = twoFingers(
  (start, now) => Math.abs(now.angle - start.angle) > 0.08,
  (start, now, { x, y }) => ({ rotation: now.angle - start.angle, anchorX: x, anchorY: y, velocity: 0 })
)

/** What a component does by itself when it is pressed: a button, a list. */
const native: MakeRecogniser = () => ({
  down: () => State.active,
  move: () => undefined,
  up: (fingers, _last, isActive) => (fingers.length > 0 ? undefined : isActive ? State.end : State.failed),
  data: () => ({ pointerInside: true }),
  reset: () => {}
})

/** What the app decides itself. */
const manual: MakeRecogniser = () => ({
  down: () => State.began,
  move: () => undefined,
  up: (fingers, _last, isActive) => (fingers.length > 0 ? undefined : isActive ? State.end : State.failed),
  data: nothing,
  reset: () => {}
})

/** The recognisers, by what gesture-handler calls them. */
export const recognisers: Readonly<Record<string, MakeRecogniser>> = {
  TapGestureHandler: tap,
  LongPressGestureHandler: longPress,
  PanGestureHandler: pan,
  FlingGestureHandler: fling,
  PinchGestureHandler: pinch,
  RotationGestureHandler: rotation,
  NativeViewGestureHandler: native,
  ManualGestureHandler: manual,
  HoverGestureHandler: manual,
  ForceTouchGestureHandler: longPress
}
