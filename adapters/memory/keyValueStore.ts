import type { KeyValueStore } from "../key-value/KeyValueStore.ts"

/** A new and empty key-value store in this process. One transaction runs after the other. */
export const keyValueStore = (): KeyValueStore => {
  const values = new Map<string, string>()
  const sorted: Array<string> = []

  /** How many keys come before `key`. */
  const placeOf = (key: string): number => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((sorted[middle] ?? "") < key) low = middle + 1
      else high = middle
    }
    return low
  }
  /** Gives a key a value, or none. */
  const put = (key: string, value: string | undefined): void => {
    const isNew = !values.has(key)
    if (value !== undefined) values.set(key, value)
    else values.delete(key)
    if (isNew && value !== undefined) sorted.splice(placeOf(key), 0, key)
    if (!isNew && value === undefined) sorted.splice(placeOf(key), 1)
  }

  let last: Promise<unknown> = Promise.resolve()
  return {
    transaction: (use) => {
      const result = last.then(async () => {
        const before: Array<readonly [key: string, value: string | undefined]> = []
        const change = (key: string, value: string | undefined): void => {
          before.push([key, values.get(key)])
          put(key, value)
        }
        try {
          return await use({
            get: async (key) => values.get(key),
            set: async (key, value) => change(key, value),
            remove: async (key) => change(key, undefined),
            list: async ({ from, limit, reverse, to }) => {
              const [first, end] = [placeOf(from), placeOf(to)]
              const keys = reverse
                ? sorted.slice(Math.max(first, end - limit), end).toReversed()
                : sorted.slice(first, Math.min(end, first + limit))
              return keys.map((key) => ({ key, value: values.get(key) ?? "" }))
            }
          })
        } catch (error) {
          for (const [key, value] of before.toReversed()) put(key, value)
          throw error
        }
      })
      last = result.catch(() => undefined)
      return result
    }
  }
}
