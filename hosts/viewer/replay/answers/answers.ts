import type { Exchange, RecordedAnswer } from "./har.ts"

/** A request of an app; its URL is whole. */
export interface ReplayRequest {
  readonly method: string
  readonly url: string
  readonly body: string
}

/** What was recorded for a request: the answer whose turn it is, or why there is none. */
export type Found =
  | { readonly kind: "answer"; readonly answer: RecordedAnswer; readonly turn: number; readonly of: number }
  | { readonly kind: "none"; readonly why: string }

/**
 * What a request and a recording are compared by. An app that asks its own host by a path asks the viewer's in a replay: of
 * that the path alone counts.
 */
const addressOf = (url: string, ownOrigin: string): string => {
  const { hash, href, origin, pathname, search } = new URL(url)
  return origin === ownOrigin ? pathname + search : href.slice(0, href.length - hash.length)
}

const pathOf = (url: string): string => {
  const { pathname, search } = new URL(url)
  return pathname + search
}

/** The exchanges by method and URL, so that the cost of a request doesn't depend on the size of the archive. */
const indexOf = (exchanges: ReadonlyArray<Exchange>, ownOrigin: string) => {
  const index = new Map<string, Array<Exchange>>()
  const add = (key: string, exchange: Exchange) => {
    const there = index.get(key)
    if (there === undefined) index.set(key, [exchange])
    else there.push(exchange)
  }
  for (const exchange of exchanges) {
    const { method, url } = exchange
    const [address, path] = [addressOf(url, ownOrigin), pathOf(url)]
    add(`${method} ${address}`, exchange)
    if (path !== address) add(`${method} ${path}`, exchange)
  }
  return (method: string, address: string): ReadonlyArray<Exchange> => index.get(`${method} ${address}`) ?? []
}

/** The network that the setting *Slow* emulates: milliseconds before a response, and bytes in a second. */
const slowNetwork = { latency: 600, rate: 200_000 }

/** Milliseconds until a response of this length has arrived on a slow network. */
export const slowDelay = (byteLength: number): number =>
  slowNetwork.latency + Math.ceil((byteLength / slowNetwork.rate) * 1000)

/**
 * Answers requests from the recorded exchanges: those of the same method, URL and body in turn, then the last one again.
 */
export const makeAnswers = (exchanges: ReadonlyArray<Exchange>, ownOrigin: string) => {
  const recordedAt = indexOf(exchanges, ownOrigin)
  const turns = new Map<string, number>()
  return ({ body, method, url }: ReplayRequest): Found => {
    const address = addressOf(url, ownOrigin)
    const there = recordedAt(method, address)
    const same = there.filter((one) => (one.body ?? body) === body)
    const key = JSON.stringify([method, address, body])
    const turn = Math.min(turns.get(key) ?? 0, same.length - 1)
    const found = same[turn]
    if (found === undefined) {
      return {
        kind: "none",
        why: there.length === 0 ? "it was not recorded" : "it was recorded with another body only"
      }
    }
    turns.set(key, turn + 1)
    return { kind: "answer", answer: found.answer, turn: turn + 1, of: same.length }
  }
}
