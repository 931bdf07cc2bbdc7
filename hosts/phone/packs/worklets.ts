/**
 * Worklets and Reanimated: a second runtime on the thread of the app, the values that are passed between the two, and
 * the modules.
 */
import { mountedOf, type Reference } from "../fabric/ShadowTree.ts"
import type { Host, Pack } from "../modules/Host.ts"
import { browserNames, isHostFunction, makeAppGlobal } from "../runtime/appGlobal.ts"
import type { AppGlobal } from "../runtime/calls.ts"
import { type AppFunction, type Fields, fieldsIn, functionIn, listIn, numberIn } from "../runtime/decode.ts"
import { screenSize } from "../runtime/device.ts"

/** A global object with the functions of it that unpack what is passed to it. */
interface Runtime {
  readonly global: AppGlobal
}

/**
 * The runtime that worklets run in beside the app. On a phone it has a thread of its own; here both share one, and what
 * each of them has is still its own.
 */
const makeUiRuntime = ({ calls, notes }: Host): Runtime => {
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

/** A function of the app of which only the text is known, among the names of a global object. */
const evaluateIn = (global: AppGlobal, code: string): AppFunction | undefined => {
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

/** What stands for a value that is passed from one runtime to another. */
type Ref = object

type Unpack = (runtime: Runtime) => unknown

const unpacks = new WeakMap<object, Unpack>()

/** The functions of the app that functions of the other runtime stand for. */
const remotes = new WeakMap<object, AppFunction>()

const originalOf = (value: unknown): AppFunction | undefined => {
  if (typeof value === "object" && value !== null) return remotes.get(value)
  const called = functionIn(value)
  return called === undefined ? undefined : (remotes.get(called) ?? called)
}

/** What stands for a value; `unpack` makes it in the runtime that it is passed to. */
const refOf = (unpack: Unpack): Ref => {
  const ref = { __serializableRef: true }
  unpacks.set(ref, unpack)
  return ref
}

/** As {@link refOf}, of what is made once in each runtime. */
const sharedRefOf = (unpack: Unpack): Ref => {
  const values = new Map<Runtime, unknown>()
  return refOf((runtime) => {
    if (!values.has(runtime)) values.set(runtime, unpack(runtime))
    return values.get(runtime)
  })
}

/** The refs that markers refer to without owning them. */
const weakRefs = new WeakMap<object, WeakRef<Ref>>()

/** The value in a runtime that something stands for; what stands for nothing is itself. */
const valueIn = (value: unknown, runtime: Runtime): unknown => {
  if (typeof value !== "object" || value === null) return value
  return unpacks.get(value)?.(runtime) ?? (unpacks.has(value) ? undefined : value)
}

const unpackerOf = (runtime: Runtime, name: string): AppFunction => {
  const unpacker = functionIn(runtime.global[name])
  if (unpacker === undefined) throw new Error(`The runtime has no ${name}.`)
  return unpacker
}

const objectIn = (fields: Fields, runtime: Runtime): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, valueIn(value, runtime)]))

const plain = (value: unknown): Ref => refOf(() => value)

const objectRef = (fields: Fields): Ref => {
  // A handle is made by a function of its own, once in each runtime.
  if ("__init" in fields) {
    return sharedRefOf((runtime) => functionIn(valueIn(fields["__init"], runtime))?.())
  }
  return refOf((runtime) => objectIn(fields, runtime))
}

const workletRef = (fields: Fields): Ref =>
  sharedRefOf((runtime) => unpackerOf(runtime, "__valueUnpacker")(objectIn(fields, runtime)))

const arrayRef = (values: unknown): Ref => refOf((runtime) => listIn(values).map((value) => valueIn(value, runtime)))

/** A function of one runtime, which the other can only ask to be called. */
const functionRef = (called: AppFunction, home: Runtime, name: unknown): Ref => {
  if (isHostFunction(called)) return plain(called)
  return sharedRefOf((runtime) => {
    const original = remotes.get(called) ?? called
    if (runtime === home) return original
    const remote = unpackerOf(runtime, "__remoteFunctionUnpacker")(name)
    if (typeof remote !== "function") return remote
    remotes.set(remote, original)
    // The third version passes what it has been unpacked from.
    const { __remoteFunction: from } = fieldsIn(Object.assign({}, remote))
    if (typeof from === "object" && from !== null) remotes.set(from, original)
    return remote
  })
}

/** What older versions pass without saying what it is. */
const anyRef = (value: unknown, home: Runtime): Ref => {
  const called = functionIn(value)
  if (called !== undefined) return functionRef(called, home, called.name)
  if (Array.isArray(value)) return arrayRef(value)
  if (typeof value !== "object" || value === null || unpacks.has(value)) return plain(value)
  // What belongs to the phone is passed as it is.
  if ("REANIMATED_MAGIC_KEY" in value) return plain(value)
  const fields = fieldsIn(value)
  return "__workletHash" in fields ? workletRef(fields) : objectRef(fields)
}

const makersOf = (home: Runtime) => ({
  createSerializableString: plain,
  createSerializableNumber: plain,
  createSerializableBoolean: plain,
  createSerializableBigInt: plain,
  createSerializableUndefined: () => plain(undefined),
  createSerializableNull: () => plain(null),
  createSerializableObject: objectRef,
  createSerializableInitializer: objectRef,
  createSerializableHostObject: plain,
  createSerializableArray: arrayRef,
  createSerializableArrayBuffer: plain,
  createSerializableArrayBufferView: (name: string, buffer: ArrayBuffer, offset: number, length: number): Ref => {
    const made: unknown = Reflect.get(window, name)
    return plain(typeof made === "function" ? Reflect.construct(made, [buffer, offset, length]) : undefined)
  },
  createSerializableMap: (keys: unknown, values: unknown): Ref =>
    refOf((runtime) => {
      const all = listIn(values)
      return new Map(listIn(keys).map((key, index) => [valueIn(key, runtime), valueIn(all[index], runtime)]))
    }),
  createSerializableSet: (values: unknown): Ref =>
    refOf((runtime) => new Set(listIn(values).map((value) => valueIn(value, runtime)))),
  createSerializableRegExp: (pattern: string, flags: string): Ref => refOf(() => new RegExp(pattern, flags)),
  createSerializableError: (name: string, message: string, stack: string | undefined): Ref =>
    refOf(() => Object.assign(new Error(message), { name, stack })),
  createSerializableTurboModuleLike: (fields: Fields, prototype: object): Ref =>
    refOf((runtime) => Object.assign(Object.create(prototype), objectIn(fields, runtime))),
  createSerializableNonWorkletFunction: (called: AppFunction, name: unknown): Ref => functionRef(called, home, name),
  createSerializableFunction: (called: AppFunction): Ref => functionRef(called, home, called.name),
  createSerializableWorklet: workletRef,
  createSerializableImport: () => plain(undefined),
  createSerializableLEGACY: (value: unknown): Ref => anyRef(value, home),
  createSerializable: (value: unknown): Ref => anyRef(value, home),
  makeWeakSerializableRef: (ref: Ref): object => {
    const marker = {}
    weakRefs.set(marker, new WeakRef(ref))
    return marker
  },
  derefWeakSerializableRef: (marker: object): Ref | undefined => weakRefs.get(marker)?.deref(),
  createCustomSerializable: (data: Ref, type: number): Ref =>
    refOf((runtime) => unpackerOf(runtime, "__customSerializableUnpacker")(valueIn(data, runtime), type)),
  createShareable: (_host: number, initial: Ref, _isSync: boolean, host: Ref): Ref =>
    sharedRefOf((runtime) =>
      unpackerOf(runtime, "__shareableHostUnpacker")(valueIn(initial, runtime), valueIn(host, runtime))
    )
})

/** What makes refs, as a runtime asks for it; `home` is the runtime of the app. Until 0.5 each had another name. */
const refMakers = (home: Runtime) => {
  const makers = makersOf(home)
  const before = Object.entries(makers).map(([name, make]) => [
    name.replace(/^createSerializable/, "makeShareable"),
    make
  ])
  return { ...Object.fromEntries(before), ...makers, makeShareableClone: makers.createSerializable }
}

interface SynchronizedState {
  value: unknown
  readonly isFixed: boolean
}

const synchronizedStates = new WeakMap<object, SynchronizedState>()

/** Values that both runtimes read and write at any time. */
const synchronized = (runtime: Runtime) => {
  const at = (ref: object): SynchronizedState | undefined => synchronizedStates.get(ref)
  const read = (ref: object): unknown => valueIn(at(ref)?.value, runtime)
  const write = (ref: object, value: unknown): void => {
    const state = at(ref)
    if (state !== undefined) state.value = value
  }
  return {
    createSynchronizable: (value: unknown, isFixed: boolean): Ref => {
      const state: SynchronizedState = { value, isFixed }
      const ref = sharedRefOf((asking) => {
        const alias = {}
        synchronizedStates.set(alias, state)
        return unpackerOf(asking, "__synchronizableUnpacker")(alias, isFixed)
      })
      synchronizedStates.set(ref, state)
      return ref
    },
    synchronizableGetDirty: read,
    synchronizableGetBlocking: read,
    synchronizableSetBlocking: write,
    synchronizableSetDirty: write,
    synchronizableLock: () => {},
    synchronizableUnlock: () => {}
  }
}

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
const reanimated = ({ app, calls, events, notes, surface }: Host, ui: Runtime): void => {
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
    const animation = fieldsIn(
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
    const ended = functionIn(animation["callback"])
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
    hasPendingSettledUpdates: () => false,
    registerPseudoStyles: () => {},
    unregisterPseudoStyles: () => {}
  }
}

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
    runOnRNSync: (called: unknown, values?: Ref): unknown => {
      const original = originalOf(valueIn(called, rn))
      return original?.(...(values === undefined ? [] : listIn(valueIn(values, rn))))
    },
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
    abortWorkletRuntime: () => false,
    isRuntimeAlive: () => true,
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
