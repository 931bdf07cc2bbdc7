/** Key-value stores with one fault each, which the suite of the store itself names. */
import { TransactionConflict, type KeyValueStore, type Transaction } from "../../key-value/KeyValueStore.ts"
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

interface Attempt {
  readonly writes: ReadonlyMap<string, string | undefined>
  readonly isRejected: boolean
}

/**
 * Transactions run at the same time, and each keeps its writes until its end. Then, it is a conflict if a read that is validated has
 * another result than before.
 */
const optimistic =
  (validates: (attempt: Attempt, key?: string) => boolean, hidesWrites = false) =>
  (): KeyValueStore => {
    const store = keyValueStore()
    return {
      transaction: async (use) => {
        const writes = new Map<string, string | undefined>()
        const reads: Array<{ readonly key?: string; readonly again: (tx: Transaction) => Promise<boolean> }> = []
        const read = async <A>(reading: (tx: Transaction) => Promise<A>, key?: string): Promise<A> => {
          const found = await store.transaction(reading)
          const again = async (tx: Transaction) => JSON.stringify(await reading(tx)) === JSON.stringify(found)
          reads.push(key === undefined ? { again } : { again, key })
          return found
        }
        const used = use({
          get: async (key) => (writes.has(key) && !hidesWrites ? writes.get(key) : read((tx) => tx.get(key), key)),
          set: async (key, text) => void writes.set(key, text),
          remove: async (key) => void writes.set(key, undefined),
          list: (range) => read((tx) => tx.list(range))
        })
        const [{ status }] = await Promise.allSettled([used])
        const isRejected = status === "rejected"
        await store.transaction(async (tx) => {
          for (const { again, key } of reads) {
            if (validates({ isRejected, writes }, key) && !(await again(tx))) throw new TransactionConflict()
          }
          if (isRejected) return
          for (const [key, text] of writes) await (text === undefined ? tx.remove(key) : tx.set(key, text))
        })
        return used
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
    "lists the end of a reversed range": altered((tx) => ({
      list: (range) => tx.list(range.reverse ? { ...range, to: `${range.to}\0` } : range)
    })),
    "exchanges the ends of a range that ends before it begins": altered((tx) => ({
      list: (range) => tx.list(range.from <= range.to ? range : { ...range, from: range.to, to: range.from })
    }))
  },
  "removes what an earlier transaction stored": {
    "removes only what the transaction set itself": altered((tx) => {
      const own = new Set<string>()
      return {
        set: (key, value) => {
          own.add(key)
          return tx.set(key, value)
        },
        remove: async (key) => {
          if (own.has(key)) await tx.remove(key)
        }
      }
    })
  },
  "shows a transaction its own writes, to get and to list": {
    "hides a transaction its own writes": optimistic(() => true, true)
  },
  "lists as many entries as the limit beside those that the transaction removed or set itself": {
    "counts removed entries for the limit of a list": altered((tx) => {
      let removed = 0
      return {
        remove: (key) => tx.remove(key).finally(() => (removed += 1)),
        list: async (range) => (await tx.list(range)).slice(0, Math.max(0, range.limit - removed))
      }
    })
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
  "loses no update: 32 increments at once make 32": {
    "reads what others committed meanwhile": optimistic(() => false)
  },
  "is serializable: of two transactions that read other keys before they write, one sees the other": {
    "sees no conflict with what was only read": optimistic(({ writes }, key) => key !== undefined && writes.has(key))
  },
  "is serializable: the value of a transaction that only reads comes from one moment": {
    "validates no transaction that only reads": optimistic(({ isRejected, writes }) => isRejected || writes.size > 0)
  },
  "is serializable: the rejection of a transaction that only reads comes from one moment": {
    "validates no transaction that rejects": optimistic(({ isRejected }) => !isRejected)
  }
}

export const keyValueMutants = Object.entries(faults).flatMap(([caughtBy, stores]) =>
  Object.entries(stores).map(([fault, open]) => ({ caughtBy, fault, open }))
)
