/** react-native-gesture-handler: recognisers, the gestures of an app, and its components. */
import { type Mounted, mountedAt } from "../fabric/ShadowTree.ts"
import type { Host, Pack } from "../modules/Host.ts"
import { type Fields, fieldsIn, listIn, numberIn } from "../runtime/decode.ts"
import { type Component, element, type Own } from "../views/Component.ts"
import { view } from "../views/view.ts"

/** What gesture-handler calls the states of a gesture. */
const State = { undetermined: 0, failed: 1, began: 2, cancelled: 3, active: 4, end: 5 } as const
type State = (typeof State)[keyof typeof State]

/** A finger, where it is on the page. */
interface Finger {
  readonly id: number
  readonly x: number
  readonly y: number
  readonly time: number
}

/** What a recogniser makes of the fingers: the state that it wants to be in, or none other than it has. */
type Wish = Exclude<State, typeof State.undetermined> | undefined

/** Recognises one kind of gesture. It has the fingers as they are now, and those that it began with. */
interface Recogniser {
  readonly down: (fingers: ReadonlyArray<Finger>) => Wish
  readonly move: (fingers: ReadonlyArray<Finger>, isActive: boolean) => Wish
  /** A finger was lifted at `last`; these are left. */
  readonly up: (fingers: ReadonlyArray<Finger>, last: Finger, isActive: boolean) => Wish
  /** The event's fields besides the position. */
  readonly data: () => Fields
  /** Resets it. */
  readonly reset: () => void
}

/** How a recogniser asks to be in a state some time later. */
type Later = (milliseconds: number, wish: Wish) => void

type MakeRecogniser = (config: () => Fields, later: Later) => Recogniser

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
const recognisers: Readonly<Record<string, MakeRecogniser>> = {
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

/** A gesture that an app listens to. */
interface Handler {
  readonly tag: number
  readonly kind: string
  readonly recogniser: Recogniser
  config: Fields
  /**
   * The view that it is attached to, and the receiver of its events: the view itself, or the app's emitter of events.
   */
  view: number | undefined
  detector: number | undefined
  state: State
  /** Whether it would be active if others hadn't to fail first. */
  isWaiting: boolean
  fingers: ReadonlyArray<Finger>
  last: Finger
  timer: ReturnType<typeof setTimeout> | undefined
}

const nowhere: Finger = { id: 0, x: 0, y: 0, time: 0 }

/** Gestures that are over: they are ignored until all fingers are lifted. */
const isOver = (state: State): boolean => state === State.failed || state === State.cancelled || state === State.end

const tagsIn = (value: unknown): ReadonlyArray<number> =>
  listIn(value).flatMap((one) => numberIn(one) ?? numberIn(fieldsIn(one)["handlerTag"]) ?? [])

/** All gestures of an app, with the fingers of each, and which may be active. */
const makeHandlers = ({ callable, events, surface }: Pick<Host, "callable" | "events" | "surface">) => {
  const handlers = new Map<number, Handler>()
  /** The views that were named before the handlers that are to be attached to them: an app makes those when it likes. */
  const awaited = new Map<number, { readonly view: number; readonly detector: number | undefined }>()

  const inView = (handler: Handler): Mounted | undefined =>
    handler.view === undefined ? undefined : surface.tree.byTag.get(handler.view)

  const payload = (handler: Handler, old: State | undefined): Fields => {
    const place = inView(handler)?.drawing.element.getBoundingClientRect()
    const { x, y } = handler.last
    const data = {
      ...handler.recogniser.data(),
      x: x - (place?.x ?? 0),
      y: y - (place?.y ?? 0),
      absoluteX: x,
      absoluteY: y,
      numberOfPointers: Math.max(1, handler.fingers.length),
      pointerType: 0
    }
    // By its old state the app knows that the state has changed.
    const head = { handlerTag: handler.tag, state: handler.state, ...(old === undefined ? {} : { oldState: old }) }
    // The newer version has the gesture's fields apart.
    return handler.detector === undefined ? { ...head, ...data } : { ...head, handlerData: data }
  }

  const tell = (handler: Handler, name: "GestureHandlerEvent" | "GestureHandlerStateChange", old?: State): void => {
    const event = payload(handler, old)
    const view = surface.tree.byTag.get(handler.detector ?? handler.view ?? -1)
    if (handler.detector === undefined) {
      callable.emit(`on${name}`, event)
      // The view itself has no such event; animations that follow the gesture receive it nevertheless.
      if (view !== undefined) events.notify(view.family, `top${name}`, event)
    } else if (view !== undefined) {
      // Worklets that are called by both runtimes would use values of one that aren't in the other yet.
      const isForWorklets = handler.config["dispatchesReanimatedEvents"] === true
      events.emit(view.family, `top${isForWorklets ? name.replace("Handler", "HandlerReanimated") : name}`, event)
    }
  }

  const enter = (handler: Handler, state: State): void => {
    const old = handler.state
    if (old === state) return
    handler.state = state
    tell(handler, "GestureHandlerStateChange", old)
    if (isOver(state)) {
      clearTimeout(handler.timer)
      handler.isWaiting = false
      release()
    }
  }

  const isTogether = (one: Handler, other: Handler): boolean =>
    tagsIn(one.config["simultaneousHandlers"]).includes(other.tag) ||
    tagsIn(other.config["simultaneousHandlers"]).includes(one.tag)

  /** Those that have to fail before this one may be active. */
  const before = (handler: Handler): ReadonlyArray<Handler> => {
    const tags = new Set(tagsIn(handler.config["waitFor"]))
    return [...handlers.values()].filter(
      (other) =>
        other !== handler &&
        (tags.has(other.tag) || tagsIn(other.config["blocksHandlers"]).includes(handler.tag)) &&
        (other.state === State.began || other.state === State.active || other.isWaiting)
    )
  }

  const activate = (handler: Handler): void => {
    if (before(handler).length > 0) {
      handler.isWaiting = true
      return
    }
    handler.isWaiting = false
    for (const other of handlers.values()) {
      if (other === handler || isTogether(handler, other) || handler.kind === "NativeViewGestureHandler") continue
      if (other.state === State.active) enter(other, State.cancelled)
      else if (other.state === State.began && other.kind !== "NativeViewGestureHandler") enter(other, State.failed)
    }
    if (handler.state === State.undetermined) enter(handler, State.began)
    enter(handler, State.active)
    // A tap is over as soon as it is one, and so is what waited until its fingers had gone.
    if (handler.kind === "TapGestureHandler" || handler.fingers.length === 0) enter(handler, State.end)
  }

  /** Activates those whose others have failed. */
  const release = (): void => {
    for (const handler of handlers.values()) if (handler.isWaiting && before(handler).length === 0) activate(handler)
  }

  const grant = (handler: Handler, wish: Wish): void => {
    if (wish === undefined || isOver(handler.state)) return
    if (wish === State.active) {
      if (handler.state !== State.active) activate(handler)
    } else if (handler.isWaiting && wish === State.failed) return
    else enter(handler, wish)
  }

  const create = (kind: string, tag: number, config: Fields): void => {
    const made = recognisers[kind]
    if (made === undefined) return
    const handler: Handler = {
      tag,
      kind,
      config,
      view: undefined,
      detector: undefined,
      state: State.undetermined,
      isWaiting: false,
      fingers: [],
      last: nowhere,
      timer: undefined,
      recogniser: made(
        () => handler.config,
        (milliseconds, wish) => {
          clearTimeout(handler.timer)
          handler.timer = setTimeout(() => {
            if (wish !== State.failed || handler.state === State.began) grant(handler, wish)
            if (handler.fingers.length === 0) settle(handler)
          }, milliseconds)
        }
      )
    }
    handlers.set(tag, handler)
    const place = awaited.get(tag)
    awaited.delete(tag)
    if (place !== undefined) attach(tag, place.view, place.detector)
  }

  const attach = (tag: number, view: number, detector?: number): void => {
    const handler = handlers.get(tag)
    if (handler === undefined) {
      awaited.set(tag, { view, detector })
      return
    }
    handler.view = view
    handler.detector = detector
    const element = surface.tree.byTag.get(view)?.drawing.element
    const isMoved = /^(?:Pan|Pinch|Rotation|Fling|Manual)/.test(handler.kind)
    // What the app follows itself, the browser must not scroll.
    if (isMoved && element !== undefined) {
      const isAcross = "activeOffsetXStart" in handler.config || "activeOffsetXEnd" in handler.config
      element.style.touchAction = isAcross ? "pan-y" : "none"
    }
  }

  /** Resets a gesture. */
  const settle = (handler: Handler): void => {
    if (!isOver(handler.state)) return
    handler.state = State.undetermined
    handler.isWaiting = false
    handler.recogniser.reset()
    clearTimeout(handler.timer)
  }

  /** The handlers of the views around a place, the innermost first. */
  const around = (target: Mounted | undefined): ReadonlyArray<Handler> => {
    const found: Array<Handler> = []
    for (let at = target; at !== undefined; at = at.parent) {
      for (const handler of handlers.values()) if (handler.view === at.family.tag) found.push(handler)
    }
    return found.filter(({ config }) => config["enabled"] !== false)
  }

  const take = (handler: Handler, finger: Finger): void => {
    handler.last = finger
    handler.fingers = [...handler.fingers.filter(({ id }) => id !== finger.id), finger]
  }

  return {
    create,
    attach,
    drop: (tag: number): void => {
      handlers.delete(tag)
      awaited.delete(tag)
    },
    configure: (tag: number, config: Fields): void => {
      const handler = handlers.get(tag)
      if (handler !== undefined) handler.config = config
    },
    update: (tag: number, config: Fields): void => {
      const handler = handlers.get(tag)
      if (handler !== undefined) handler.config = { ...handler.config, ...config }
    },
    /** Whether the app follows a finger, so that nothing is scrolled beneath it. */
    isFollowing: () =>
      [...handlers.values()].some(
        ({ kind, state }) =>
          state === State.active && kind !== "NativeViewGestureHandler" && kind !== "TapGestureHandler"
      ),
    down: (target: Element, finger: Finger): void => {
      for (const handler of around(mountedAt(target))) {
        if (handler.fingers.length === 0) settle(handler)
        if (isOver(handler.state)) continue
        take(handler, finger)
        grant(handler, handler.recogniser.down(handler.fingers))
      }
    },
    move: (finger: Finger): void => {
      for (const handler of handlers.values()) {
        if (!handler.fingers.some(({ id }) => id === finger.id)) continue
        take(handler, finger)
        if (isOver(handler.state)) continue
        const isActive = handler.state === State.active
        grant(handler, handler.recogniser.move(handler.fingers, isActive))
        if (handler.state === State.active) tell(handler, "GestureHandlerEvent")
      }
    },
    up: (finger: Finger, isCancelled: boolean): void => {
      for (const handler of handlers.values()) {
        if (!handler.fingers.some(({ id }) => id === finger.id)) continue
        handler.last = finger
        handler.fingers = handler.fingers.filter(({ id }) => id !== finger.id)
        const isActive = handler.state === State.active
        if (isCancelled) grant(handler, isActive ? State.cancelled : State.failed)
        else grant(handler, handler.recogniser.up(handler.fingers, finger, isActive))
        if (handler.fingers.length === 0) settle(handler)
      }
    },
    /** The app decides about a gesture itself. */
    set: (tag: number, state: number): void => {
      const handler = handlers.get(tag)
      const wish = Object.values(State).find((one) => one === state)
      if (handler !== undefined && wish !== undefined && wish !== State.undetermined) grant(handler, wish)
    }
  }
}

type Handlers = ReturnType<typeof makeHandlers>

let handlers: Handlers | undefined

/** What attaches gestures to the view within it, in the newer version. */
const detector: Component = (own) => {
  let children: ReadonlyArray<Own> = []
  const attach = (): void => {
    const [child] = children
    for (const tag of listIn(own.props()["handlerTags"])) {
      if (child !== undefined) handlers?.attach(numberIn(tag) ?? -1, child.tag, own.tag)
    }
    for (const one of listIn(own.props()["virtualChildren"]).map(fieldsIn)) {
      for (const tag of listIn(one["handlerTags"])) {
        handlers?.attach(numberIn(tag) ?? -1, numberIn(one["viewTag"]) ?? -1, own.tag)
      }
    }
  }
  return {
    element: element("view"),
    laidOut: attach,
    update: attach,
    childrenChanged: (now) => {
      children = now
      attach()
    }
  }
}

/**
 * A button. Older versions recognise its presses by gestures; the newer one lets the phone do it, and listens to events
 * that older ones don't have.
 */
const button: Component = (own) => {
  const drawn = element("view")
  let timer: ReturnType<typeof setTimeout> | undefined
  let isLong = false
  let isPressed = false

  const emit = (name: string, { clientX, clientY, offsetX: x, offsetY: y }: MouseEvent): void => {
    if (own.props()[`onButton${name}`] === undefined) return
    const at = { pointerInside: true, x, y, absoluteX: clientX, absoluteY: clientY }
    own.emit(`topButton${name}`, { ...at, numberOfPointers: 1, pointerType: 0 })
  }
  const show = (): void => {
    const { activeOpacity, defaultOpacity, onButtonPress } = own.props()
    const opacity = numberIn(isPressed ? activeOpacity : defaultOpacity)
    if (onButtonPress !== undefined && opacity !== undefined) drawn.style.opacity = String(opacity)
  }
  const end = (event: PointerEvent): void => {
    if (!isPressed) return
    isPressed = false
    clearTimeout(timer)
    show()
    emit("PressOut", event)
    emit("InteractionFinished", event)
  }

  drawn.addEventListener("pointerdown", (event) => {
    const { enabled, hasLongPressHandler, longPressDuration } = own.props()
    if (enabled === false || !event.isPrimary) return
    isPressed = true
    isLong = false
    show()
    emit("PressIn", event)
    if (hasLongPressHandler !== true) return
    const wait = numberIn(longPressDuration) ?? -1
    timer = setTimeout(
      () => {
        isLong = true
        emit("LongPress", event)
      },
      wait < 0 ? 500 : wait
    )
  })
  for (const name of ["pointerup", "pointercancel", "pointerleave"] as const) drawn.addEventListener(name, end)
  // There is none after a drag, and none outside.
  drawn.addEventListener("click", (event) => {
    if (!isLong && own.props()["enabled"] !== false) emit("Press", event)
  })
  return { element: drawn, update: show, unmounted: () => clearTimeout(timer) }
}

const fingerOf = ({ clientX, clientY, pointerId, timeStamp }: PointerEvent): Finger => ({
  id: pointerId,
  x: clientX,
  y: clientY,
  time: timeStamp
})

const listen = (root: HTMLElement, to: Handlers): void => {
  const options = { capture: true, passive: true }
  root.addEventListener(
    "pointerdown",
    (event) => {
      if (event.target instanceof Element) to.down(event.target, fingerOf(event))
    },
    options
  )
  document.addEventListener("pointermove", (event) => to.move(fingerOf(event)), options)
  document.addEventListener("pointerup", (event) => to.up(fingerOf(event), false), options)
  document.addEventListener("pointercancel", (event) => to.up(fingerOf(event), true), options)
}

const module = (host: Host) => {
  const made = makeHandlers(host)
  handlers = made
  listen(host.surface.element, made)
  host.follows.push(made.isFollowing)
  const create = (kind: string, tag: number, config: unknown): void => made.create(kind, tag, fieldsIn(config))
  const configure = (tag: number, config: unknown): void => made.configure(tag, fieldsIn(config))
  const update = (tag: number, config: unknown): void => made.update(tag, fieldsIn(config))
  Object.assign(host.app, { _setGestureStateSync: made.set, _setGestureStateAsync: made.set })
  return {
    RNGestureHandlerModule: {
      createGestureHandler: create,
      attachGestureHandler: (tag: number, target: number) => made.attach(tag, target),
      setGestureHandlerConfig: configure,
      updateGestureHandler: configure,
      updateGestureHandlerConfig: update,
      configureRelations: update,
      dropGestureHandler: made.drop,
      setGestureHandlerState: made.set,
      handleSetJSResponder: () => {},
      handleClearJSResponder: () => {},
      flushOperations: () => {},
      install: () => true,
      installUIRuntimeBindings: () => true,
      getModuleId: () => 0
    }
  }
}

/** react-native-gesture-handler */
export const gestureHandler: Pack = {
  components: {
    RNGestureHandlerRootView: view,
    RNGestureHandlerButton: button,
    RNGestureHandlerDetector: detector
  },
  modules: module
}
