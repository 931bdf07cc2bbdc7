import type { Host } from "../../modules/Host.ts"
import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, functionIn, listIn } from "../../runtime/decode.ts"
import { reanimated } from "./reanimated.ts"
import { originalOf, refMakers, refOf, synchronized, valueIn, type Ref } from "./refs.ts"
import { evaluateIn, makeUiRuntime, type Runtime } from "./uiRuntime.ts"

/** The texts that the app passes are code, where it is and its source map, for each of the unpackers. */
const partsOfUnpacker = 3

const install = (host: Host, ui: Runtime): void => {
  const { app, calls } = host
  const rn: Runtime = { global: app }

  const runOnUi = (worklet: unknown, ...values: ReadonlyArray<unknown>): unknown => {
    const called = functionIn(valueIn(worklet, ui))
    return called === undefined ? undefined : called(...values)
  }

  /** Runs a worklet now; its result is passed to the caller. */
  const runFor = (asking: Runtime) => (worklet: Ref) => valueIn(runOnUi(worklet), asking)

  const scheduleOnUi = (worklets: Ref, values?: Ref): void =>
    queueMicrotask(() => {
      const jobs = valueIn(worklets, ui)
      const all = values === undefined ? [] : listIn(valueIn(values, ui))
      const list = Array.isArray(jobs) ? jobs : [jobs]
      for (const [index, job] of list.entries()) {
        const called = functionIn(job)
        if (called !== undefined) calls.call(called, ...listIn(all[index]))
      }
    })

  const scheduleOnApp = (called: unknown, values?: Ref): void => {
    const original = originalOf(called)
    if (original === undefined) return
    const all = values === undefined ? [] : listIn(valueIn(values, rn))
    // The app continues when the worklet is done.
    queueMicrotask(() => calls.outside(() => calls.call(original, ...all)))
  }

  const loadUnpackers = (...texts: ReadonlyArray<string>): void => {
    for (let at = 0; at < texts.length; at += partsOfUnpacker) {
      evaluateIn(ui.global, texts[at] ?? "")?.call({ __closure: {} })
    }
  }

  const proxyOf = (runtime: Runtime) => ({
    ...refMakers(rn),
    ...synchronized(runtime),
    // What it is called before 0.11, and since.
    loadUnpackers,
    loadUnpackersWithCode: loadUnpackers,
    loadUnpackersWithBytecode: () => {},
    registerCustomSerializable: (determine: Ref, pack: Ref, unpack: Ref, type: number) => {
      const registry = (ui.global["__customSerializationRegistry"] ??= [])
      if (Array.isArray(registry)) {
        registry[type] = {
          determine: valueIn(determine, ui),
          pack: valueIn(pack, ui),
          unpack: valueIn(unpack, ui)
        }
      }
    },
    scheduleOnUI: scheduleOnUi,
    executeOnUIRuntimeSync: runFor(runtime),
    runOnUISync: runFor(runtime),
    scheduleOnRN: scheduleOnApp,
    // Runtimes of the app's own run beside the others on this one.
    createWorkletRuntime: (name: string) => ({ name }),
    scheduleOnRuntime: (_runtime: unknown, worklet: Ref) => scheduleOnUi(refOf((at) => [valueIn(worklet, at)])),
    scheduleOnRuntimeWithId: (_id: number, worklet: Ref) => scheduleOnUi(refOf((at) => [valueIn(worklet, at)])),
    runOnRuntimeSync: (_runtime: unknown, worklet: Ref) => runFor(runtime)(worklet),
    runOnRuntimeSyncWithId: (_id: number, worklet: Ref) => runFor(runtime)(worklet),
    handlePromise: (settle: unknown, value: Ref) =>
      scheduleOnApp(
        settle,
        refOf((at) => [valueIn(value, at)])
      ),
    reportFatalErrorOnJS: (message: string, stack: string, name: string) =>
      reportError(Object.assign(new Error(message), { name, stack })),
    getStaticFeatureFlag: () => false,
    setDynamicFeatureFlag: () => {},
    getCurrentThreadId: () => "0",
    getUIRuntimeHolder: () => ({}),
    getUISchedulerHolder: () => ({})
  })

  const own = proxyOf(ui)
  const makers = Object.entries(own).filter(([name]) => /^(?:createSerializable|makeShareable)/.test(name))
  app["__workletsModuleProxy"] = proxyOf(rn)
  Object.assign(ui.global, {
    __workletsModuleProxy: own,
    ...Object.fromEntries(makers.map(([name, make]) => [`_${name}`, make])),
    _createSerializableSynchronizable: (value: object) => refOf(() => value),
    _scheduleHostFunctionOnJS: scheduleOnApp,
    _scheduleRemoteFunctionOnJS: scheduleOnApp,
    // What both are before Reanimated 3.16.
    _scheduleOnJS: scheduleOnApp
  })
}

/** The third version of Reanimated has worklets of its own, and one unpacker for all that is passed. */
const installThird = (host: Host, ui: Runtime, unpacker: string): void => {
  install(host, ui)
  const unpack = evaluateIn(ui.global, unpacker)?.bind({ __closure: {} })
  Object.assign(ui.global, {
    __valueUnpacker: unpack,
    __remoteFunctionUnpacker: (name: unknown) => unpack?.({}, "RemoteFunction", name)
  })
  host.app["_WORKLET"] = false
  host.app["_IS_FABRIC"] = true
}

/** Its third version calls some of the same by other names, and asks one module for all of it. */
const installThirdMotions = ({ app }: Host, ui: Runtime): void => {
  Object.assign(ui.global, {
    _updatePropsFabric: ui.global["_updateProps"],
    _measureFabric: ui.global["_measure"],
    _dispatchCommandFabric: ui.global["_dispatchCommand"],
    _scrollToFabric: ui.global["_scrollTo"],
    _removeFromPropsRegistry: () => {}
  })
  app["__reanimatedModuleProxy"] = {
    ...fieldsIn(app["__workletsModuleProxy"]),
    ...fieldsIn(app["__reanimatedModuleProxy"]),
    enableLayoutAnimations: () => {},
    configureProps: () => {}
  }
}

/** react-native-worklets and react-native-reanimated: two runtimes on one thread. */
export const worklets: Pack = {
  modules: (host) => {
    const ui = makeUiRuntime(host)
    let isThird = false
    /** Only the third version passes an unpacker: until 3.17 to one of its modules, since then to the other. */
    const installWorklets = (unpacker: unknown): void => {
      isThird = typeof unpacker === "string"
      if (typeof unpacker === "string") installThird(host, ui, unpacker)
      else install(host, ui)
    }
    return {
      WorkletsModule: {
        installTurboModule: (unpacker: unknown) => {
          installWorklets(unpacker)
          return true
        },
        start: () => {},
        toggleSlowAnimationsOnUIRuntime: () => false
      },
      ReanimatedModule: {
        installTurboModule: (unpacker: unknown) => {
          reanimated(host, ui)
          if (typeof unpacker === "string") installWorklets(unpacker)
          if (isThird) installThirdMotions(host, ui)
          return true
        },
        addListener: () => {},
        removeListeners: () => {}
      }
    }
  }
}
