/** Key-value stores with one fault each, which the suite of the store itself names. */
import { TransactionConflict, type KeyValueStore, type Transaction } from "../../key-value/KeyValueStore.ts"
import { keyValueStore } from "../../memory/keyValueStore.ts"

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

/** The store in memory with other operations of its transactions. */
const operating = (alter: (tx: Transaction) => Partial<Transaction>) => (): KeyValueStore => {
  const store = keyValueStore()
  const bound = (tx: Transaction): Transaction => ({
    get: (key) => tx.get(key),
    set: (key, value) => tx.set(key, value),
    remove: (key) => tx.remove(key),
    list: (range) => tx.list(range)
  })
  return { transaction: (use) => store.transaction((tx) => use({ ...bound(tx), ...alter(tx) })) }
}

const faults: Readonly<Record<string, Readonly<Record<string, () => KeyValueStore>>>> = {
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
  "keeps no write of a transaction that rejects before the write has ended": {
    "stores a write that ends late by itself": () => {
      const store = keyValueStore()
      return {
        transaction: async (use) => {
          let isOver = false
          try {
            return await store.transaction((tx) =>
              use({
                get: (key) => tx.get(key),
                list: (range) => tx.list(range),
                set: async (key, value) => {
                  await new Promise((resolve) => setImmediate(resolve))
                  await (isOver ? store.transaction((other) => other.set(key, value)) : tx.set(key, value))
                },
                remove: (key) => tx.remove(key)
              })
            )
          } finally {
            isOver = true
          }
        }
      }
    }
  },
  "removes what an earlier transaction stored, and no key that begins with it": {
    "removes every key that begins with one": operating((tx) => ({
      remove: async (key) => {
        const entries = await tx.list({ from: key, to: `${key}\u007f`, limit: 1000, reverse: false })
        for (const entry of entries) await tx.remove(entry.key)
      }
    }))
  },
  "returns a key with spaces at its ends unchanged": {
    "trims keys": operating((tx) => ({ set: (key, value) => tx.set(key.trim(), value) }))
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
