/** The global object of an app, and the evaluation of its bundle with it. */
import type { AppGlobal, Calls } from "./calls.ts"
import { type AppFunction, functionIn } from "./decode.ts"

/** The global object of an app, with what belongs to the language, the timers and the console; the rest is put into it. */
export const makeAppGlobal = (calls: Calls): AppGlobal => {
  const appGlobal: AppGlobal = {}
  for (const name of languageNames) if (name in window) defineHidden(appGlobal, name, Reflect.get(window, name))
  for (const [name, value] of Object.entries(timers(calls))) defineHidden(appGlobal, name, value)
  const own = Object.fromEntries(
    Object.entries(console).flatMap(([name, value]) =>
      typeof value === "function" ? [[name, value.bind(console)]] : []
    )
  )
  defineHidden(appGlobal, "console", own)
  defineHidden(appGlobal, "performance", {
    now: () => performance.now(),
    timeOrigin: performance.timeOrigin,
    mark: () => {},
    measure: () => {},
    clearMarks: () => {},
    clearMeasures: () => {},
    getEntries: () => [],
    getEntriesByName: () => [],
    getEntriesByType: () => []
  })
  // React Native replaces it where it has its own.
  defineHidden(appGlobal, "PerformanceObserver", SilentObserver)
  defineHidden(appGlobal, "navigator", {
    product: "ReactNative",
    userAgent: navigator.userAgent,
    language: navigator.language
  })
  defineHidden(appGlobal, "globalThis", appGlobal)
  defineHidden(appGlobal, "global", appGlobal)
  return appGlobal
}

/** A `PerformanceObserver` that observes nothing. */
class SilentObserver {
  static readonly supportedEntryTypes: ReadonlyArray<string> = []
  observe(): void {}
  disconnect(): void {}
  takeRecords(): ReadonlyArray<unknown> {
    return []
  }
}

/** What the JavaScript engine of a phone has. Everything else of a browser isn't there for the app. */
const languageNames = [
  "Object Function Array Number Boolean String Symbol Date Promise RegExp Math JSON Intl Reflect Proxy Map Set WeakMap",
  "WeakSet WeakRef FinalizationRegistry BigInt Error AggregateError EvalError RangeError ReferenceError SyntaxError",
  "TypeError URIError ArrayBuffer SharedArrayBuffer Atomics DataView Int8Array Uint8Array Uint8ClampedArray Int16Array",
  "Uint16Array Int32Array Uint32Array Float32Array Float64Array BigInt64Array BigUint64Array parseFloat parseInt isNaN",
  "isFinite decodeURI decodeURIComponent encodeURI encodeURIComponent escape unescape eval NaN Infinity undefined",
  "TextEncoder TextDecoder btoa atob structuredClone WebAssembly"
]
  .join(" ")
  .split(" ")

const defineHidden = (owner: object, name: string, value: unknown): void => {
  Object.defineProperty(owner, name, { value, writable: true, configurable: true, enumerable: false })
}

const timers = (calls: Calls): Readonly<Record<string, unknown>> => {
  const own = {
    setTimeout: window.setTimeout.bind(window),
    setInterval: window.setInterval.bind(window),
    requestAnimationFrame: window.requestAnimationFrame.bind(window)
  }
  const immediates = makeImmediates(calls)
  const after =
    (wait: (run: () => void, milliseconds: number) => number) =>
    (callback: unknown, milliseconds: unknown, ...values: ReadonlyArray<unknown>): number => {
      const called = functionIn(callback)
      return called === undefined ? 0 : wait(() => calls.call(called, ...values), Number(milliseconds) || 0)
    }
  return {
    setTimeout: after(own.setTimeout),
    setInterval: after(own.setInterval),
    setImmediate: immediates.set,
    clearImmediate: immediates.clear,
    requestAnimationFrame: (callback: AppFunction) => own.requestAnimationFrame((time) => calls.call(callback, time)),
    requestIdleCallback: (callback: AppFunction) =>
      own.setTimeout(() => calls.call(callback, { didTimeout: false, timeRemaining: () => 10 }), 1),
    cancelIdleCallback: window.clearTimeout.bind(window),
    clearTimeout: window.clearTimeout.bind(window),
    clearInterval: window.clearInterval.bind(window),
    cancelAnimationFrame: window.cancelAnimationFrame.bind(window),
    queueMicrotask: (callback: AppFunction) => queueMicrotask(() => calls.call(callback))
  }
}

/** What is done as soon as the app has nothing else to do, and before any timer. */
const makeImmediates = (calls: Calls) => {
  const due = new Set<number>()
  let last = 0
  return {
    set: (callback: unknown, ...values: ReadonlyArray<unknown>): number => {
      const called = functionIn(callback)
      const id = ++last
      due.add(id)
      queueMicrotask(() => {
        if (due.delete(id) && called !== undefined) calls.call(called, ...values)
      })
      return id
    },
    clear: (id: number) => due.delete(id)
  }
}

/** Runs a bundle with this as its global object. What it throws is thrown. */
export const evaluate = (bundle: string, url: string, app: AppGlobal): void => {
  // Within `with`, only what is evaluated apart from this module may be sloppy, as bundles are.
  // oxlint-disable-next-line no-eval -- it is what this frame is there for
  const run: unknown = (0, eval)(wrapBundle(bundle, url))
  if (typeof run !== "function") return
  run(
    browserNames(),
    app,
    parameterNames.map((name) => Reflect.get(window, name))
  )
}

/**
 * A bundle as a function of the objects in which its names are looked up. What a phone's engine lacks is looked up in
 * `browser`, where it is `undefined`; what the bundle declares or puts into its global object is found in `app`.
 */
const wrapBundle = (bundle: string, url: string): string =>
  `(function(browser,app,given){with(browser){with(app){(function(${parameterNames.join()}){${bundle}
}).apply(app,given)}}})
//# sourceURL=${url}`

/** The names of the language that some apps replace, so that they are looked up each time. */
const replaceableNames = new Set([
  "Promise",
  "eval",
  "undefined",
  "NaN",
  "Infinity",
  "structuredClone",
  "TextEncoder",
  "TextDecoder"
])

/** The names that a bundle receives as parameters, which is far quicker than looking them up. */
const parameterNames: ReadonlyArray<string> = languageNames.filter(
  (name) => name in window && !replaceableNames.has(name)
)

/** The names of a browser's window, each of which is `undefined`: an app that finds `document` would take this for the web. */
export const browserNames = (): object => {
  const names: Record<string, undefined> = Object.create(null)
  for (let owner: unknown = window; typeof owner === "object" && owner !== null; owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) names[name] = undefined
  }
  return names
}

const hostFunctions = new WeakSet<object>()

/** Marks the functions of a native module: on a phone, every runtime of an app can call them. */
export const markHostFunctions = (module: Readonly<Record<string, unknown>>): void => {
  for (const value of Object.values(module)) if (typeof value === "function") hostFunctions.add(value)
}

export const isHostFunction = (value: object): boolean => hostFunctions.has(value)
