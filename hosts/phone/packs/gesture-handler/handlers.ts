import { mountedAt, type Mounted } from "../../fabric/Mounted.ts"
import type { Host } from "../../modules/Host.ts"
import { fieldsIn, listIn, numberIn, type Fields } from "../../runtime/decode.ts"
import { State, type Finger, type Recogniser, type Wish } from "./Recogniser.ts"
import { recognisers } from "./recognisers.ts"

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
export const makeHandlers = ({ callable, events, surface }: Pick<Host, "callable" | "events" | "surface">) => {
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
