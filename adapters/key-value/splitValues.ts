import { untilRejected, type KeyValueStore, type Transaction } from "./KeyValueStore.ts"
import { digest, keyOf } from "./tables.ts"

/** Begins the entry of a value that is stored in parts, before their number. No JSON begins with it. */
const mark = "\u0001"

const partKey = (key: string, index: number): string => keyOf("part", digest(key), String(index))
const partsOf = (stored: string | undefined): number => (stored?.startsWith(mark) ? Number(stored.slice(1)) : 0)
const indexes = (from: number, to: number) => Array.from({ length: Math.max(0, to - from) }, (_, index) => from + index)

/** Cuts a text into parts of at most `length` code units, and never between a pair of surrogates. */
const cut = (text: string, length: number): ReadonlyArray<string> => {
  const parts: Array<string> = []
  for (let from = 0; from < text.length;) {
    const end = Math.min(from + length, text.length)
    const isPairCut = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1))
    parts.push(text.slice(from, isPairCut ? end - 1 : end))
    from += parts.at(-1)?.length ?? length
  }
  return parts
}

const splitting = (tx: Transaction, length: number): Transaction => {
  const whole = async (key: string, stored: string): Promise<string> => {
    const count = partsOf(stored)
    if (count === 0) return stored
    const parts = await Promise.all(indexes(0, count).map((index) => tx.get(partKey(key, index))))
    return parts.join("")
  }
  /** Removes the parts of an earlier value from this one on. */
  const removeParts = async (key: string, from: number): Promise<void> => {
    const count = partsOf(await tx.get(key))
    await Promise.all(indexes(from, count).map((index) => tx.remove(partKey(key, index))))
  }
  return {
    get: async (key) => {
      const stored = await tx.get(key)
      return stored === undefined ? undefined : whole(key, stored)
    },
    set: async (key, value) => {
      const parts = value.length <= length ? [] : cut(value, length)
      await removeParts(key, parts.length)
      await Promise.all(parts.map((part, index) => tx.set(partKey(key, index), part)))
      await tx.set(key, parts.length === 0 ? value : `${mark}${parts.length}`)
    },
    remove: async (key) => {
      await removeParts(key, 0)
      await tx.remove(key)
    },
    list: async (range) => {
      const entries = await tx.list(range)
      return Promise.all(entries.map(async ({ key, value }) => ({ key, value: await whole(key, value) })))
    }
  }
}

/** A store that keeps larger values in parts of at most `maxValueBytes` bytes of UTF-8, for engines that limit values. */
export const splitValues = (store: KeyValueStore, maxValueBytes: number): KeyValueStore => {
  if (!(maxValueBytes >= 1000)) throw new TypeError("maxValueBytes must be 1000 or more")
  // A code unit has three bytes at most.
  const length = Math.floor(maxValueBytes / 3)
  return {
    transaction: (use) =>
      store.transaction((tx) => {
        // A call may take several of the store's, of which the last ones come late.
        const { guarded, whenRejected } = untilRejected(tx)
        return use(splitting(guarded, length)).catch(whenRejected)
      })
  }
}
