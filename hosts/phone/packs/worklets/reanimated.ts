import { mountedOf, type Reference } from "../../fabric/ShadowTree.ts"
import type { Host } from "../../modules/Host.ts"
import { screenSize } from "../../runtime/device.ts"
import { fieldsIn, functionIn, listIn, numberIn, type Fields } from "../../runtime/decode.ts"
import { valueIn, type Ref } from "./refs.ts"
import type { Runtime } from "./uiRuntime.ts"

/** What Reanimated calls the motion of something that comes. */
const entering = 1

interface Update {
  readonly shadowNodeWrapper: Reference
  readonly updates: unknown
}

interface Handler {
  readonly handler: Ref
  readonly event: string
  readonly view: number
}

/** An event by the name that Reanimated has for it. */
const eventName = (name: string): string => name.replace(/^top/, "on")

/** What Reanimated expects of a phone, in the app's runtime and in that of the worklets. */
export const reanimated = ({ app, calls, events, notes, surface }: Host, ui: Runtime): void => {
  const handlers = new Map<number, Handler>()
  let last = 0

  events.listen((family, name, payload) => {
    const reactName = eventName(name)
    for (const { event, handler, view } of handlers.values()) {
      const isMeant = event === reactName || event === `${view}${reactName}` || event === name
      if (!isMeant || (view !== -1 && view !== family.tag)) continue
      const called = functionIn(valueIn(handler, ui))
      if (called !== undefined)
        calls.call(called, performance.now(), { target: family.tag, ...payload, eventName: reactName })
    }
  })

  /** Motions that aren't shown: what they end with is. */
  const without = (name: string) => (): void => notes.missing("method", `Reanimated: ${name}`)

  /**
   * An entering animation ends immediately, and its callback is called: an app may wait for it to show what follows.
   */
  const enter = (configured: Fields): void => {
    const make = functionIn(valueIn(configured["config"], ui))
    if (make === undefined) return
    const { height, width } = screenSize()
    const made = fieldsIn(
      calls.call(make, {
        targetOriginX: 0,
        targetOriginY: 0,
        targetGlobalOriginX: 0,
        targetGlobalOriginY: 0,
        targetWidth: 0,
        targetHeight: 0,
        windowWidth: width,
        windowHeight: height
      })
    )
    const ended = functionIn(made["callback"])
    if (ended !== undefined) calls.call(ended, true)
  }

  const configure = (batch: unknown): void => {
    notes.missing("method", "Reanimated: entering and exiting")
    // What enters is there after the commit that is on its way.
    requestAnimationFrame(() => {
      for (const one of listIn(batch).map(fieldsIn)) if (one["type"] === entering) enter(one)
    })
  }

  const measure = (node: Reference) => {
    const element = mountedOf(surface.tree, node)?.drawing.element
    const box = mountedOf(surface.tree, node)?.box
    if (element === undefined || box === undefined) return null
    const page = element.getBoundingClientRect()
    return { ...box, pageX: page.x, pageY: page.y }
  }

  Object.assign(ui.global, {
    _updateProps: (updates: ReadonlyArray<Update>) => {
      for (const { shadowNodeWrapper, updates: props } of updates) {
        const mounted = mountedOf(surface.tree, shadowNodeWrapper)
        if (mounted !== undefined) surface.setProps(mounted, fieldsIn(props))
      }
    },
    _measure: measure,
    _dispatchCommand: (node: Reference, name: string, values: unknown) => {
      mountedOf(surface.tree, node)?.drawing.commands?.[name]?.(...listIn(values))
    },
    _scrollTo: (node: Reference, x: number, y: number, isSmooth: boolean) => {
      mountedOf(surface.tree, node)?.drawing.commands?.["scrollTo"]?.(x, y, isSmooth)
    },
    _setGestureState: (tag: number, state: number) => {
      functionIn(app["_setGestureStateSync"])?.(tag, state)
    },
    _obtainProp: (node: Reference, name: string) => mountedOf(surface.tree, node)?.props[name],
    _notifyAboutProgress: () => {},
    _notifyAboutEnd: () => {}
  })

  app["_REANIMATED_IS_REDUCED_MOTION"] = window.matchMedia("(prefers-reduced-motion: reduce)").matches
  app["__reanimatedModuleProxy"] = {
    registerEventHandler: (handler: Ref, event: string, view: unknown): number => {
      handlers.set(++last, { handler, event, view: numberIn(view) ?? -1 })
      return last
    },
    unregisterEventHandler: (id: number) => handlers.delete(id),
    getViewProp: async (node: Reference, name: string, callback?: unknown) => {
      const value = mountedOf(surface.tree, node)?.props[name]
      const called = functionIn(callback)
      if (called !== undefined) calls.call(called, value)
      return value
    },
    registerSensor: () => -1,
    unregisterSensor: () => {},
    getStaticFeatureFlag: () => false,
    setDynamicFeatureFlag: () => {},
    subscribeForKeyboardEvents: () => 0,
    unsubscribeFromKeyboardEvents: () => {},
    configureLayoutAnimationBatch: configure,
    setShouldAnimateExitingForTag: () => {},
    setViewStyle: (_tag: number, _style: Fields) => {},
    setCSSEventHandler: () => {},
    markNodeAsRemovable: () => {},
    unmarkNodeAsRemovable: () => {},
    registerCSSKeyframes: without("CSS animations"),
    unregisterCSSKeyframes: () => {},
    applyCSSAnimations: () => {},
    unregisterCSSAnimations: () => {},
    runCSSTransition: without("CSS transitions"),
    unregisterCSSTransition: () => {},
    getSettledUpdates: () => [],
    registerPseudoStyles: () => {},
    unregisterPseudoStyles: () => {}
  }
}
