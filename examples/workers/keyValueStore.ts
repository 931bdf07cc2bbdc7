import type { KeyValueStore } from "slipway/adapters/key-value"

/** The metadata in the storage of a Durable Object. Transactions run one after the other. */
export const keyValueStore = (storage: DurableObjectStorage): KeyValueStore => {
  let before: Promise<unknown> = Promise.resolve()
  return {
    transaction: (use) => {
      const result = before.then(() =>
        storage.transaction((tx) =>
          use({
            get: (key) => tx.get<string>(key),
            set: (key, value) => tx.put(key, value),
            remove: async (key) => void (await tx.delete(key)),
            list: async ({ from, limit, reverse, to }) => {
              const found = await tx.list<string>({ start: from, end: to, limit, reverse })
              return Array.from(found, ([key, value]) => ({ key, value }))
            }
          })
        )
      )
      before = result.catch(() => undefined)
      return result
    }
  }
}
