import type { AppGlobal } from "./appGlobal.ts"
import type { Calls } from "./calls.ts"
import { methodOf, type AppFunction } from "./decode.ts"

/** The modules of an app that its phone calls: `AppRegistry`, emitters of events and so on. */
export interface Callable {
  readonly register: (name: string, make: AppFunction) => void
  /** The module; `undefined` when the app registered none of that name. */
  readonly module: (name: string) => unknown
  /** Sends the app an event of the device: a rotation, an opened keyboard and so on. */
  readonly emit: (event: string, ...values: ReadonlyArray<unknown>) => void
}

export const makeCallable = (app: AppGlobal, calls: Calls): Callable => {
  const makers = new Map<string, AppFunction>()
  const made = new Map<string, unknown>()

  const module = (name: string): unknown => {
    if (!made.has(name)) {
      const make = makers.get(name)
      if (make === undefined) return undefined
      made.set(name, calls.call(make))
    }
    return made.get(name)
  }

  return {
    register: (name, make) => {
      makers.set(name, make)
    },
    module,
    emit: (event, ...values) =>
      calls.outside(() => {
        const emitter = module("RCTDeviceEventEmitter") ?? app["__rctDeviceEventEmitter"]
        const emit = methodOf(emitter, "emit")
        if (emit !== undefined) calls.call(emit, event, ...values)
      })
  }
}
