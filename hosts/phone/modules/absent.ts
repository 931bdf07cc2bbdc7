import { isCalled, isCondition, requiredIn } from "./evidence.ts"
import type { Notes } from "../runtime/notes.ts"
import type { Module } from "./Host.ts"

/** Modules of React Native itself that some versions work without. */
const optional = new Set(
  [
    "NativePerformanceCxx NativePerformanceObserverCxx NativeIntersectionObserverCxx NativeMutationObserverCxx",
    "NativeViewTransitionCxx ReactDevToolsRuntimeSettingsModule ReactDevToolsSettingsManager DevLoadingView",
    "DeviceEventManager DialogManagerAndroid FrameRateLogger HeadlessJsTaskSupport IntentAndroid JSCHeapCapture LogBox",
    "PermissionsAndroid PushNotificationManager RedBox SoundManager Timing UIManager UIConstants AccessibilityInfo",
    "ToastAndroid NativeFantomCxx NativeJSCSamplingProfiler JSCSamplingProfiler JSDevSupport BugReporting AnimationsDebugModule",
    "NativeDevMenu DevMenu DebuggingOverlay DevToolsSettingsManager NativeReactDevToolsRuntimeSettings FabricUIManager"
  ]
    .join(" ")
    .split(" ")
)

/** The modules of React Native itself that this bundle works without. */
export const optionalIn = (bundle: string): ReadonlySet<string> => optional.difference(requiredIn(bundle))

const quiet = new Set(["then", "toJSON", "$$typeof", "constructor", "prototype", "valueOf", "toString"])

/** What every module has and nobody misses. */
const quietly = {
  addListener: () => ({ remove: () => {} }),
  removeListeners: () => {},
  removeListener: () => {},
  removeAllListeners: () => {},
  getConstants: () => ({})
}

/** A failure that an app handles as it handles one of a phone. */
export const unavailable = (name: string): Error =>
  Object.assign(new Error(`${name} is not available in replay.`), { code: "E_UNAVAILABLE" })

/** The methods of texts and lists, for what is neither and empty; those for HTML have names of properties. */
const ofEmpty = (key: string): unknown => {
  if (/^(?:anchor|big|blink|bold|constructor|fixed|fontcolor|fontsize|italics|link|small|strike|sub|sup)$/.test(key))
    return undefined
  for (const empty of ["", []]) {
    const method: unknown = Reflect.get(Object(empty), key)
    if (typeof method === "function") return method.bind(empty)
  }
  return key === "length" ? 0 : undefined
}

/**
 * What a missing method answers. Only the app's use of it shows its type: as a promise it rejects, and as a text, a number
 * or a list it is empty.
 */
const emptyAnswer = (name: string): object => {
  type Then = (done?: (value: unknown) => unknown, failed?: (error: unknown) => unknown) => Promise<unknown>
  const fail: Then = (done, failed) => Promise.reject(unavailable(name)).then(done, failed)
  const own: Readonly<Record<string | symbol, unknown>> = {
    // oxlint-disable-next-line unicorn/no-thenable -- an app waits for it as for a promise
    then: fail,
    catch: (failed: (error: unknown) => unknown) => fail(undefined, failed),
    finally: (ended: () => void) => Promise.reject(unavailable(name)).finally(ended),
    remove: () => {},
    toJSON: () => null,
    [Symbol.iterator]: () => [].values(),
    [Symbol.toPrimitive]: (hint: string) => (hint === "number" ? 0 : "")
  }
  return new Proxy(
    {},
    {
      get: (_, key) =>
        key in own ? own[key] : typeof key === "symbol" ? undefined : /^\d+$/.test(key) ? {} : ofEmpty(key)
    }
  )
}

interface Known {
  readonly bundle: string
  readonly notes: Pick<Notes, "missing">
}

const missingMethod = (name: string, method: string, { bundle, notes }: Known): (() => unknown) => {
  const isBoolean = isCondition(bundle, method)
  return () => {
    notes.missing("method", `${name}.${method}`)
    return isBoolean ? false : emptyAnswer(`${name}.${method}`)
  }
}

/** What gives an object the methods that it lacks and the bundle calls. */
const lacking = <There extends object>(name: string, host: Known): ProxyHandler<There> => {
  const made = new Map<string, unknown>()
  const make = (key: string): unknown => {
    // What begins like a class is one: apps extend it while they are loaded.
    if (/^[A-Z][A-Za-z]*[a-z]/.test(key)) return stubClass(`${name}.${key}`, host)
    return isCalled(host.bundle, key) ? missingMethod(name, key, host) : undefined
  }
  return {
    get: (target, key) => {
      if (typeof key !== "string" || key in target) return Reflect.get(target, key)
      if (quiet.has(key)) return undefined
      if (key in quietly) return Reflect.get(quietly, key)
      if (!made.has(key)) made.set(key, make(key))
      return made.get(key)
    },
    has: () => true
  }
}

/** A stub for a class of a missing module: it can be made, extended, and asked for any method. */
const stubClass = (name: string, host: Known) => {
  class Stub {
    readonly standsFor = name
  }
  Object.setPrototypeOf(Stub.prototype, new Proxy({}, lacking(name, host)))
  return Stub
}

/** The part of a module that is there. Other methods of it that the bundle calls fail as those of a missing module. */
export const partOf = <There extends object>(name: string, there: There, host: Known): There =>
  new Proxy(there, lacking(name, host))

/** A stub for a missing module that the app needs, so that an import never crashes it. */
export const stubOf = (name: string, host: Known): Module => {
  host.notes.missing("module", name)
  return partOf(name, {}, host)
}
