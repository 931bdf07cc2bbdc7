/** Key-value stores with one fault each, which the suite of the store itself names. */
import type { KeyValueStore, Transaction } from "../../key-value/KeyValueStore.ts"
import { keyValueStore } from "../../memory/keyValueStore.ts"

/** A sound store whose transactions are altered. */
const altered = (alter: (tx: Transaction) => Partial<Transaction>) => (): KeyValueStore => {
  const store = keyValueStore()
  return { transaction: (use) => store.transaction((tx) => use({ ...tx, ...alter(tx) })) }
}

/** Keys are changed before they are stored. */
const renaming = (rename: (key: string) => string) =>
  altered((tx) => ({
    get: (key) => tx.get(rename(key)),
    set: (key, value) => tx.set(rename(key), value),
    remove: (key) => tx.remove(rename(key))
  }))

/** Transactions run at the same time, and each keeps its writes until its end, as a database does that isolates them less. */
const isolated = (less: { readonly hides?: boolean; readonly aborts?: boolean }) => (): KeyValueStore => {
  const store = keyValueStore()
  const versions = new Map<string, number>()
  return {
    transaction: async (use) => {
      const writes = new Map<string, string | undefined>()
      const before = new Map(versions)
      const value = await use({
        get: async (key) =>
          writes.has(key) && less.hides !== true ? writes.get(key) : store.transaction((tx) => tx.get(key)),
        set: async (key, text) => void writes.set(key, text),
        remove: async (key) => void writes.set(key, undefined),
        list: (range) => store.transaction((tx) => tx.list(range))
      })
      const isStale = (key: string) => versions.get(key) !== before.get(key)
      if (less.aborts === true && [...writes.keys()].some(isStale)) throw new Error("another transaction wrote the key")
      for (const key of writes.keys()) versions.set(key, (versions.get(key) ?? 0) + 1)
      await store.transaction(async (tx) => {
        for (const [key, text] of writes) await (text === undefined ? tx.remove(key) : tx.set(key, text))
      })
      return value
    }
  }
}

const faults: Readonly<Record<string, Readonly<Record<string, () => KeyValueStore>>>> = {
  "returns an empty value unchanged": {
    "takes an empty value for none": altered((tx) => ({ get: async (key) => (await tx.get(key)) || undefined }))
  },
  "returns a key of 500 bytes unchanged": { "cuts long keys": renaming((key) => key.slice(0, 255)) },
  "returns a key with percent signs and punctuation unchanged": { "decodes keys": renaming(decodeURIComponent) },
  "keeps keys apart that differ in case, or where one begins with the other": {
    "compares keys without their case": renaming((key) => key.toLowerCase())
  },
  "lists a range from its first key to before its end, by code unit": {
    "lists the end of a range": altered((tx) => ({ list: (range) => tx.list({ ...range, to: `${range.to}\0` }) })),
    "lists a range without its first key": altered((tx) => ({
      list: (range) => tx.list({ ...range, from: `${range.from}\0` })
    })),
    "exchanges the ends of a range that ends before it begins": altered((tx) => ({
      list: (range) => tx.list(range.from <= range.to ? range : { ...range, from: range.to, to: range.from })
    }))
  },
  "shows a transaction its own writes, to get and to list": {
    "hides a transaction its own writes": isolated({ hides: true })
  },
  "keeps nothing of a transaction that rejects": {
    "keeps what a rejected transaction wrote": () => {
      const store = keyValueStore()
      return {
        transaction: async (use) => {
          const settled = await store.transaction((tx) => Promise.allSettled([use(tx)]))
          if (settled[0].status === "rejected") throw settled[0].reason
          return settled[0].value
        }
      }
    }
  },
  "loses no update: 32 increments at once make 32": { "reads what others committed meanwhile": isolated({}) },
  "is serializable: of two transactions that read other keys before they write, one sees the other": {
    "sees no conflict with what was only read": isolated({ aborts: true })
  }
}

export const keyValueMutants = Object.entries(faults).flatMap(([caughtBy, stores]) =>
  Object.entries(stores).map(([fault, open]) => ({ caughtBy, fault, open }))
)
