import type { Pack } from "./Pack.ts"
import type { Host } from "../modules/Host.ts"

type Answer = (error: unknown, result?: unknown) => unknown

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const merged = (one: unknown, other: unknown): unknown => {
  if (!isObject(one) || !isObject(other)) return other
  const both = { ...one }
  for (const [name, value] of Object.entries(other)) both[name] = merged(one[name], value)
  return both
}

/** Storage that lasts as long as the page: a replay has none of its own. */
const storage = ({ calls }: Host) => {
  const kept = new Map<string, string>()
  /** Answers when the app is done with asking, as a phone does. */
  const answer = (told: Answer, result: () => unknown): void => {
    queueMicrotask(() => {
      try {
        const found = result()
        calls.call(() => told(null, found))
      } catch (error) {
        calls.call(() => told([{ message: String(error) }]))
      }
    })
  }
  return {
    multiGet: (keys: ReadonlyArray<string>, told: Answer) =>
      answer(told, () => keys.map((key) => [key, kept.get(key) ?? null])),
    multiSet: (pairs: ReadonlyArray<readonly [string, string]>, told: Answer) =>
      answer(told, () => {
        for (const [key, value] of pairs) kept.set(key, value)
      }),
    multiRemove: (keys: ReadonlyArray<string>, told: Answer) =>
      answer(told, () => {
        for (const key of keys) kept.delete(key)
      }),
    multiMerge: (pairs: ReadonlyArray<readonly [string, string]>, told: Answer) =>
      answer(told, () => {
        for (const [key, value] of pairs) {
          kept.set(key, JSON.stringify(merged(JSON.parse(kept.get(key) ?? "{}"), JSON.parse(value))))
        }
      }),
    getAllKeys: (told: Answer) => answer(told, () => [...kept.keys()]),
    clear: (told: Answer) => answer(told, () => kept.clear())
  }
}

/** @react-native-async-storage/async-storage */
export const asyncStorage: Pack = {
  modules: (host) => {
    const module = storage(host)
    return { RNCAsyncStorage: module, RNC_AsyncSQLiteDBStorage: module, AsyncLocalStorage: module }
  }
}
