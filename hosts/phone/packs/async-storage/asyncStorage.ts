import type { Pack } from "../../modules/Pack.ts"
import type { Host } from "../../modules/Host.ts"
import { stores } from "../../runtime/stores.ts"

type Answer = (error: unknown, result?: unknown) => unknown

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const merged = (one: unknown, other: unknown): unknown => {
  if (!isObject(one) || !isObject(other)) return other
  const both = { ...one }
  for (const [name, value] of Object.entries(other)) both[name] = merged(one[name], value)
  return both
}

const mergeInto = (kept: Map<string, string>, pairs: ReadonlyArray<readonly [string, string]>): void => {
  for (const [key, value] of pairs) {
    kept.set(key, JSON.stringify(merged(JSON.parse(kept.get(key) ?? "{}"), JSON.parse(value))))
  }
}

/** Storage that lasts as long as the page: a replay has none of its own. */
const storage = ({ calls }: Host) => {
  const kept = new Map<string, string>()
  stores.set("AsyncStorage", () => kept)
  /** Answers when the app is done with asking, as a phone does. */
  const answer = (callback: Answer, result: () => unknown): void => {
    queueMicrotask(() => {
      try {
        const found = result()
        calls.call(() => callback(null, found))
      } catch (error) {
        calls.call(() => callback([{ message: String(error) }]))
      }
    })
  }
  return {
    multiGet: (keys: ReadonlyArray<string>, callback: Answer) =>
      answer(callback, () => keys.map((key) => [key, kept.get(key) ?? null])),
    multiSet: (pairs: ReadonlyArray<readonly [string, string]>, callback: Answer) =>
      answer(callback, () => {
        for (const [key, value] of pairs) kept.set(key, value)
      }),
    multiRemove: (keys: ReadonlyArray<string>, callback: Answer) =>
      answer(callback, () => {
        for (const key of keys) kept.delete(key)
      }),
    multiMerge: (pairs: ReadonlyArray<readonly [string, string]>, callback: Answer) =>
      answer(callback, () => mergeInto(kept, pairs)),
    getAllKeys: (callback: Answer) => answer(callback, () => [...kept.keys()]),
    clear: (callback: Answer) => answer(callback, () => kept.clear())
  }
}

interface Pair {
  readonly key: string
  readonly value: string | null
}

/** The same for the third version, which has databases by name. */
const databases = () => {
  const legacy = ""
  const all = new Map<string, Map<string, string>>()
  const named = (name: string): Map<string, string> => {
    const found = all.get(name) ?? new Map<string, string>()
    all.set(name, found)
    stores.set(`AsyncStorage ${name}`.trim(), () => found)
    return found
  }
  return {
    getValues: async (name: string, keys: ReadonlyArray<string>) =>
      keys.map((key) => ({ key, value: named(name).get(key) ?? null })),
    setValues: async (name: string, values: ReadonlyArray<Pair>) => {
      for (const { key, value } of values) {
        if (value === null) named(name).delete(key)
        else named(name).set(key, value)
      }
      return values
    },
    removeValues: async (name: string, keys: ReadonlyArray<string>) => {
      for (const key of keys) named(name).delete(key)
    },
    getKeys: async (name: string) => [...named(name).keys()],
    clearStorage: async (name: string) => named(name).clear(),
    legacy_multiGet: async (keys: ReadonlyArray<string>) => keys.map((key) => [key, named(legacy).get(key) ?? null]),
    legacy_multiSet: async (pairs: ReadonlyArray<readonly [string, string]>) => {
      for (const [key, value] of pairs) named(legacy).set(key, value)
    },
    legacy_multiRemove: async (keys: ReadonlyArray<string>) => {
      for (const key of keys) named(legacy).delete(key)
    },
    legacy_multiMerge: async (pairs: ReadonlyArray<readonly [string, string]>) => mergeInto(named(legacy), pairs),
    legacy_getAllKeys: async () => [...named(legacy).keys()],
    legacy_clear: async () => named(legacy).clear()
  }
}

/** @react-native-async-storage/async-storage */
export const asyncStorage: Pack = {
  modules: (host) => {
    const module = storage(host)
    return {
      // The first two versions ask for the storage of other platforms before their own.
      PlatformLocalStorage: module,
      RNCAsyncStorage: module,
      RNC_AsyncSQLiteDBStorage: module,
      AsyncLocalStorage: module,
      RNAsyncStorage: databases()
    }
  }
}
