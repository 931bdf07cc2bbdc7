/** Repeated requests, for tests of how they are answered while an engine is unavailable. */

/** One answer. */
export interface Seen {
  readonly status: number
  readonly retryAfter: string | null
  readonly body: unknown
}

/** A request that several clients repeat, each as soon as its last one was answered. */
export interface Asked {
  readonly name: string
  readonly ask: () => Promise<Seen>
}

/** Sends one request and reads its whole answer. */
export const ask = async (url: string, key: string, body?: unknown): Promise<Seen> => {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })
  const text = await response.text()
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    body: response.headers.get("content-type")?.includes("json") === true ? JSON.parse(text) : text
  }
}

export interface Load {
  /** Resolves when every client has had this many more answers that match. */
  readonly until: (like: (seen: Seen) => boolean, times: number) => Promise<void>
  /** Stops the load and returns the answers by name. */
  readonly stop: () => Promise<ReadonlyMap<string, ReadonlyArray<Seen>>>
}

/**
 * Starts `clients` clients for each of these requests. An exception stops the load and rejects the waiting promises.
 */
export const startLoad = (all: ReadonlyArray<Asked>, clients: number): Load => {
  const seen = new Map(all.map(({ name }): [string, Array<Seen>] => [name, []]))
  const waiting = new Set<(name: string, one: Seen) => void>()
  const ended = new AbortController()
  const loops = Promise.all(
    Array.from({ length: clients }, () => all)
      .flat()
      .map(async ({ ask, name }) => {
        while (!ended.signal.aborted) {
          const one = await ask()
          seen.get(name)?.push(one)
          for (const notify of waiting) notify(name, one)
        }
      })
  )
  return {
    until: (like, times) => {
      const left = new Map(all.map(({ name }) => [name, times]))
      const met = new Promise<void>((resolve) => {
        const tell = (name: string, one: Seen) => {
          if (!like(one)) return
          const rest = (left.get(name) ?? 0) - 1
          if (rest > 0) left.set(name, rest)
          else left.delete(name)
          if (left.size > 0) return
          waiting.delete(tell)
          resolve()
        }
        waiting.add(tell)
      })
      return Promise.race([met, loops.then(() => met)])
    },
    stop: async () => {
      ended.abort()
      await loops
      return seen
    }
  }
}
