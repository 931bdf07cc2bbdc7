import type { Host } from "../../modules/Host.ts"
import { fieldsIn, listIn, numberIn } from "../../runtime/decode.ts"
import type { Component, Own } from "../../views/Component.ts"
import { element } from "../../views/element.ts"
import { view } from "../../views/view.ts"
import type { Pack } from "../../modules/Pack.ts"
import { makeHandlers } from "./handlers.ts"
import type { Finger } from "./Recogniser.ts"

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
