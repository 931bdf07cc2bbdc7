import type { Pack } from "../modules/Pack.ts"
import { fieldsIn, textIn } from "../runtime/decode.ts"

/** One store of react-native-mmkv, which answers at once. */
const storeOf = (kept: Map<string, unknown>) => {
  const ofType = (type: string) => (key: string) => {
    const value = kept.get(key)
    return typeof value === type ? value : undefined
  }
  return {
    set: (key: string, value: unknown): void => {
      kept.set(key, value)
    },
    getString: ofType("string"),
    getNumber: ofType("number"),
    getBoolean: ofType("boolean"),
    getBuffer: ofType("object"),
    contains: (key: string) => kept.has(key),
    delete: (key: string) => kept.delete(key),
    remove: (key: string) => kept.delete(key),
    getAllKeys: () => [...kept.keys()],
    clearAll: () => kept.clear(),
    recrypt: () => {},
    trim: () => {},
    size: 0,
    isReadOnly: false
  }
}

/** react-native-mmkv 3: it lasts as long as the page. */
export const mmkv: Pack = {
  modules: () => {
    const stores = new Map<string, Map<string, unknown>>()
    return {
      MmkvPlatformContext: { getBaseDirectory: () => "/", getAppGroupDirectory: () => undefined },
      MmkvCxx: {
        initialize: () => true,
        createMMKV: (asked: unknown) => {
          const id = textIn(fieldsIn(asked)["id"]) ?? ""
          const kept = stores.get(id) ?? new Map<string, unknown>()
          stores.set(id, kept)
          return storeOf(kept)
        }
      }
    }
  }
}
