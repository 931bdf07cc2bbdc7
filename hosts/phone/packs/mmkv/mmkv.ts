import type { Host } from "../../modules/Host.ts"
import type { Pack } from "../../modules/Pack.ts"
import { fieldsIn, textIn, type AppFunction } from "../../runtime/decode.ts"
import { stores } from "../../runtime/stores.ts"

/** One store of react-native-mmkv, which answers at once. */
const storeOf = (kept: Map<string, unknown>) => {
  const listeners = new Set<AppFunction>()
  const tell = (key: string): void => {
    for (const listener of listeners) listener(key)
  }
  const remove = (key: string): boolean => {
    const isThere = kept.delete(key)
    if (isThere) tell(key)
    return isThere
  }
  const ofType = (type: string) => (key: string) => {
    const value = kept.get(key)
    return typeof value === type ? value : undefined
  }
  return {
    set: (key: string, value: unknown): void => {
      kept.set(key, value)
      tell(key)
    },
    getString: ofType("string"),
    getNumber: ofType("number"),
    getBoolean: ofType("boolean"),
    getBuffer: ofType("object"),
    contains: (key: string) => kept.has(key),
    delete: remove,
    remove,
    addOnValueChangedListener: (listener: AppFunction) => {
      listeners.add(listener)
      return { remove: () => listeners.delete(listener) }
    },
    getAllKeys: () => [...kept.keys()],
    clearAll: () => [...kept.keys()].forEach(remove),
    recrypt: () => {},
    trim: () => {},
    size: 0,
    isReadOnly: false
  }
}

const opened = new Map<string, ReturnType<typeof storeOf>>()

const createMMKV = (asked: unknown) => {
  const id = textIn(fieldsIn(asked)["id"]) ?? ""
  const known = opened.get(id)
  if (known !== undefined) return known
  const kept = new Map<string, unknown>()
  const store = storeOf(kept)
  opened.set(id, store)
  stores.set(`MMKV ${id}`.trim(), () => kept)
  return store
}

const platform = { getBaseDirectory: () => "/", getAppGroupDirectory: () => undefined }

/** react-native-mmkv 2, 3 and, by Nitro, 4: it lasts as long as the page. */
export const mmkv = {
  // Version 2 looks for its native module only where this is missing.
  install: ({ app }: Pick<Host, "app">) => {
    app["mmkvCreateNewInstance"] = createMMKV
  },
  modules: () => ({ MmkvPlatformContext: platform, MmkvCxx: { initialize: () => true, createMMKV } }),
  hybrids: {
    MMKVPlatformContext: platform,
    MMKVFactory: {
      defaultMMKVInstanceId: "mmkv.default",
      initializeMMKV: () => {},
      createMMKV,
      deleteMMKV: (id: string) => {
        stores.delete(`MMKV ${id}`.trim())
        return opened.delete(id)
      },
      existsMMKV: (id: string) => opened.has(id)
    }
  }
} satisfies Pack
