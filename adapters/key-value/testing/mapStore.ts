import type { KeyValueStore, Transaction } from "../KeyValueStore.ts"

/** A key-value store in a Map, which runs one transaction after the other on a copy that replaces the Map at its end. */
export const mapStore = (): KeyValueStore => {
  let kept: ReadonlyMap<string, string> = new Map()

  const transactionOn = (entries: Map<string, string>): Transaction => ({
    get: async (key) => entries.get(key),
    set: async (key, value) => void entries.set(key, value),
    remove: async (key) => void entries.delete(key),
    list: async ({ from, limit, reverse, to }) => {
      const keys = [...entries.keys()].filter((key) => from <= key && key < to).toSorted()
      const ordered = reverse ? keys.toReversed() : keys
      return ordered.slice(0, limit).map((key) => ({ key, value: entries.get(key) ?? "" }))
    }
  })

  let before: Promise<unknown> = Promise.resolve()
  return {
    transaction: (use) => {
      const result = before.then(async () => {
        const entries = new Map(kept)
        const answer = await use(transactionOn(entries))
        kept = entries
        return answer
      })
      before = result.catch(() => undefined)
      return result
    }
  }
}
