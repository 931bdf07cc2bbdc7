import type { Notes } from "../runtime/notes.ts"
import type { Module } from "./Host.ts"

/** The modules without which this bundle fails while it loads: it requests them by `getEnforcing`. */
export const requiredIn = (bundle: string): ReadonlySet<string> =>
  new Set(Array.from(bundle.matchAll(/getEnforcing\)?\((["'])(\w+)\1\)/g), ([, , name = ""]) => name))

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

/** A stub for a class of such a module: it can be made, extended, and asked for any method. */
const stubClass = (name: string, notes: Notes) => {
  class Stub {
    readonly standsFor = name
  }
  const { addListener, removeListeners, removeListener, removeAllListeners } = quietly
  Object.setPrototypeOf(
    Stub.prototype,
    new Proxy(
      { addListener, removeListeners, removeListener, removeAllListeners },
      {
        get: (target, key) =>
          typeof key !== "string" || quiet.has(key)
            ? undefined
            : (Reflect.get(target, key) ??
              (async () => {
                notes.missing("method", `${name}.${key}`)
                return null
              }))
      }
    )
  )
  return Stub
}

/** What every module has and nobody misses. */
const quietly = {
  addListener: () => ({ remove: () => {} }),
  removeListeners: () => {},
  removeListener: () => {},
  removeAllListeners: () => {},
  getConstants: () => ({})
}

/** A stub for a missing module, so that an import never crashes an app: it has every method, and each does nothing. */
export const stubOf = (name: string, notes: Notes): Module => {
  notes.missing("module", name)
  const methods = new Map<string, unknown>()
  const own: Record<string, unknown> = quietly
  return new Proxy(own, {
    get: (target, key) => {
      if (typeof key !== "string" || quiet.has(key)) return undefined
      if (key in target) return target[key]
      // What begins like a class is one: apps extend it while they are loaded.
      if (/^[A-Z][A-Za-z]*[a-z]/.test(key) && !methods.has(key)) methods.set(key, stubClass(`${name}.${key}`, notes))
      if (!methods.has(key)) {
        methods.set(key, async () => {
          notes.missing("method", `${name}.${key}`)
          return null
        })
      }
      return methods.get(key)
    },
    has: () => true
  })
}
