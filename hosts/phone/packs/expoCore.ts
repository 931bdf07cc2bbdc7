/** What Expo's modules are made of, and which of them a bundle works without. */
import type { Calls } from "../runtime/calls.ts"
import type { AppFunction } from "../runtime/decode.ts"

/** The classes that Expo's modules are made of; apps extend them. */
export const makeClasses = (calls: Calls) => {
  class EventEmitter {
    readonly listeners = new Map<string, Set<AppFunction>>()

    addListener(name: string, listener: AppFunction): { readonly remove: () => void } {
      const all = this.listeners.get(name) ?? new Set()
      this.listeners.set(name, all.add(listener))
      return { remove: () => all.delete(listener) }
    }

    removeListener(name: string, listener: AppFunction): void {
      this.listeners.get(name)?.delete(listener)
    }

    removeAllListeners(name: string): void {
      this.listeners.delete(name)
    }

    emit(name: string, ...values: ReadonlyArray<unknown>): void {
      for (const listener of this.listeners.get(name) ?? []) calls.call(listener, ...values)
    }

    listenerCount(name: string): number {
      return this.listeners.get(name)?.size ?? 0
    }
  }
  class NativeModule extends EventEmitter {}
  class SharedObject extends EventEmitter {
    release(): void {
      this.listeners.clear()
    }
  }
  class SharedRef extends SharedObject {}
  return { EventEmitter, NativeModule, SharedObject, SharedRef }
}

/** The names in calls of a function of Expo, in a minified bundle. */
const namesIn = (bundle: string, called: string): ReadonlySet<string> =>
  new Set(
    Array.from(bundle.matchAll(new RegExp(`\\b${called}\\)?\\((["'])([^"']*)\\1`, "g")), ([, , name = ""]) => name)
  )

/**
 * The modules that a bundle requests from Expo and works without, those that only a development build has, and the proxy of modules of before
 * Expo 55: without it, a bundle uses `NativeUnimoduleProxy`.
 */
export const optionalOfExpo = (bundle: string): ReadonlySet<string> =>
  new Set([
    "ExpoGo",
    "EXDevLauncher",
    "ExponentKernel",
    "NativeModulesProxy",
    ...namesIn(bundle, "requireOptionalNativeModule").difference(namesIn(bundle, "requireNativeModule"))
  ])
