import type { Calls } from "../../runtime/calls.ts"
import type { AppFunction } from "../../runtime/decode.ts"

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
