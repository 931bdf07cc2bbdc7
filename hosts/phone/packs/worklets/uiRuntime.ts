import type { Host } from "../../modules/Host.ts"
import { browserNames, makeAppGlobal, type AppGlobal } from "../../runtime/appGlobal.ts"
import { fieldsIn, functionIn, listIn, type AppFunction } from "../../runtime/decode.ts"

/** A global object with the functions of it that unpack what is passed to it. */
export interface Runtime {
  readonly global: AppGlobal
}

/** A function of the app of which only the text is known, among the names of a global object. */
export const evaluateIn = (global: AppGlobal, code: string): AppFunction | undefined => {
  // oxlint-disable-next-line no-eval -- worklets are texts
  const run: unknown = (0, eval)(`(function(browser,app){with(browser){with(app){return (${code})}}})`)
  return typeof run === "function" ? functionIn(run(browserNames(), global)) : undefined
}

/**
 * What puts worklets together. Since 0.10 an app brings this itself, and so did Reanimated's third version; between them
 * the phone had it.
 */
const unpackersFor = (global: AppGlobal) => {
  const worklets = new Map<unknown, AppFunction>()
  const handles = new WeakMap<object, unknown>()

  const workletOf = (value: Record<string, unknown>): unknown => {
    const { code } = fieldsIn(value["__initData"])
    const hash = value["__workletHash"]
    const worklet = worklets.get(hash) ?? evaluateIn(global, String(code))
    if (worklet === undefined) throw new Error("A worklet isn’t a function.")
    worklets.set(hash, worklet)
    const bound: unknown = worklet.bind(value)
    value["_recur"] = bound
    return bound
  }

  return {
    __valueUnpacker: (value: Record<string, unknown>): unknown => {
      if (value["__workletHash"] !== undefined) return workletOf(value)
      const init = functionIn(value["__init"])
      if (init === undefined) throw new Error("What is passed to a worklet isn’t known to it.")
      if (!handles.has(value)) handles.set(value, init.call(value))
      return handles.get(value)
    },
    __remoteFunctionUnpacker: (name: unknown) => () => {
      throw new Error(`${String(name)} belongs to the app: a worklet can’t call it without waiting.`)
    },
    __customSerializableUnpacker: (value: unknown, type: number): unknown => {
      const unpack = functionIn(fieldsIn(listIn(global["__customSerializationRegistry"])[type])["unpack"])
      if (unpack === undefined) throw new Error(`Nothing unpacks values of the kind ${type}.`)
      return unpack(value)
    },
    __shareableHostUnpacker: (value: unknown, decorate: unknown): unknown => {
      const shareable = { isHost: true, __shareableRef: true, value }
      return functionIn(decorate)?.(shareable) ?? shareable
    }
  }
}

/**
 * The runtime that worklets run in beside the app. On a phone it has a thread of its own; here both share one, and what
 * each of them has is still its own.
 */
export const makeUiRuntime = ({ calls, notes }: Host): Runtime => {
  const global = makeAppGlobal(calls)
  Object.assign(global, {
    ...unpackersFor(global),
    __RUNTIME_KIND: 2,
    __RUNTIME_NAME: "UI",
    _WORKLET: true,
    _IS_FABRIC: true,
    __DEV__: false,
    _WORKLETS_BUNDLE_MODE_ENABLED: false,
    process: { env: { NODE_ENV: "production" } },
    __nativeRequestAnimationFrame: (callback: AppFunction) =>
      requestAnimationFrame((time) => calls.call(callback, time)),
    __drainMicrotasks: () => {},
    HermesInternal: { enqueueJob: (job: AppFunction) => queueMicrotask(() => calls.call(job)) },
    _getAnimationTimestamp: () => performance.now(),
    _toString: String,
    _log: (value: unknown) => notes.line(String(value)),
    _beginSection: () => {},
    _endSection: () => {},
    _maybeFlushUIUpdatesQueue: () => {},
    _scheduleTimeoutCallback: (delay: number, id: number) =>
      setTimeout(() => {
        const run = functionIn(global["__runTimeoutCallback"])
        if (run !== undefined) calls.call(run, id)
      }, delay)
  })
  return { global }
}
