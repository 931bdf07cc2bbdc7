import { fieldsIn, functionIn, listIn, type AppFunction, type Fields } from "../../runtime/decode.ts"
import { isHostFunction } from "../../runtime/hostFunctions.ts"
import type { Runtime } from "./uiRuntime.ts"

/** What stands for a value that is passed from one runtime to another. */
export type Ref = object

type Unpack = (runtime: Runtime) => unknown

const unpacks = new WeakMap<object, Unpack>()

/** The functions of the app that functions of the other runtime stand for. */
const remotes = new WeakMap<object, AppFunction>()

export const originalOf = (value: unknown): AppFunction | undefined => {
  if (typeof value === "object" && value !== null) return remotes.get(value)
  const called = functionIn(value)
  return called === undefined ? undefined : (remotes.get(called) ?? called)
}

/** What stands for a value; `unpack` makes it in the runtime that it is passed to. */
export const refOf = (unpack: Unpack): Ref => {
  const ref = { __serializableRef: true }
  unpacks.set(ref, unpack)
  return ref
}

/** As {@link refOf}, of what is made once in each runtime. */
const sharedRefOf = (unpack: Unpack): Ref => {
  const made = new Map<Runtime, unknown>()
  return refOf((runtime) => {
    if (!made.has(runtime)) made.set(runtime, unpack(runtime))
    return made.get(runtime)
  })
}

/** The value in a runtime that something stands for; what stands for nothing is itself. */
export const valueIn = (value: unknown, runtime: Runtime): unknown => {
  if (typeof value !== "object" || value === null) return value
  return unpacks.get(value)?.(runtime) ?? (unpacks.has(value) ? undefined : value)
}

const unpackerOf = (runtime: Runtime, name: string): AppFunction => {
  const found = functionIn(runtime.global[name])
  if (found === undefined) throw new Error(`The runtime has no ${name}.`)
  return found
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
  createCustomSerializable: (data: Ref, type: number): Ref =>
    refOf((runtime) => unpackerOf(runtime, "__customSerializableUnpacker")(valueIn(data, runtime), type)),
  createShareable: (_host: number, initial: Ref, _isSync: boolean, host: Ref): Ref =>
    sharedRefOf((runtime) =>
      unpackerOf(runtime, "__shareableHostUnpacker")(valueIn(initial, runtime), valueIn(host, runtime))
    )
})

/** What makes refs, as a runtime asks for it; `home` is the runtime of the app. Until 0.5 each had another name. */
export const refMakers = (home: Runtime) => {
  const makers = makersOf(home)
  const before = Object.entries(makers).map(([name, make]) => [
    name.replace(/^createSerializable/, "makeShareable"),
    make
  ])
  return { ...Object.fromEntries(before), ...makers, makeShareableClone: makers.createSerializable }
}

interface Held {
  value: unknown
  readonly isFixed: boolean
}

const held = new WeakMap<object, Held>()

/** Values that both runtimes read and write at any time. */
export const synchronized = (runtime: Runtime) => {
  const at = (ref: object): Held | undefined => held.get(ref)
  const read = (ref: object): unknown => valueIn(at(ref)?.value, runtime)
  const write = (ref: object, value: unknown): void => {
    const found = at(ref)
    if (found !== undefined) found.value = value
  }
  return {
    createSynchronizable: (value: unknown, isFixed: boolean): Ref => {
      const state: Held = { value, isFixed }
      const ref = sharedRefOf((asking) => {
        const alias = {}
        held.set(alias, state)
        return unpackerOf(asking, "__synchronizableUnpacker")(alias, isFixed)
      })
      held.set(ref, state)
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
