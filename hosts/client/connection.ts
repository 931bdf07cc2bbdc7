import { type HttpResponse, type Platform, refusalOf } from "./Platform.ts"
import { type Again, attempt, endingAfter, retrying, type Timing } from "./retrying.ts"
import { unfit, type Source } from "./bodies.ts"
import { fetchAsk, fetchPut } from "./onFetch.ts"
import type { ClientOptions } from "./Client.ts"

/** A request of the API. */
export interface ApiRequest {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly query?: object
  readonly body?: object
  readonly idempotencyKey?: string | undefined
  readonly again: Again
  /** A finalize may take longer than others. */
  readonly time: "request" | "finalize"
  readonly signal: AbortSignal | undefined
}

/** Where to PUT what. */
export interface SlotPut {
  readonly name: string
  readonly slot: { readonly putUrl: string; readonly contentType: string; readonly sizeBytes: number }
  readonly source: Source
  readonly onBytes: (sent: number) => void
  readonly signal: AbortSignal | undefined
}

/** The service as one client reaches it. Both reject with a `SlipwayError`, or with the reason of their signal. */
export interface Connection {
  /** Answers a success. */
  readonly ask: (request: ApiRequest) => Promise<HttpResponse>
  readonly put: (put: SlotPut) => Promise<void>
}

const searchOf = (query: object): string => {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  return given.length === 0 ? "" : `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

const visible = /^[\x21-\x7e]+$/

/** The header of a key. Without one, the request has the cookies of the browser. */
const authorizationOf = (key: unknown): { readonly authorization?: string } => {
  if (key === undefined) return {}
  if (typeof key === "string" && visible.test(key)) return { authorization: `Bearer ${key}` }
  throw new TypeError("key must be an API key, visible ASCII without spaces, or a function that returns one")
}

const isCount = (value: number): boolean => Number.isInteger(value) && value >= 0

/** Throws a `TypeError` that names the wrong or missing option. */
const check = ({
  credentials = "omit",
  key,
  retries = 0,
  timeouts = {},
  url = ""
}: Partial<ClientOptions> = {}): void => {
  if (!/^https?:/.test(url) || !URL.canParse(url)) throw new TypeError("url must be an http(s) URL")
  if (!["omit", "same-origin", "include"].includes(credentials)) {
    throw new TypeError('credentials must be "omit", "same-origin" or "include"')
  }
  if (key === undefined && credentials === "omit") throw new TypeError("key is missing; without one, set credentials")
  if (typeof key !== "function") authorizationOf(key)
  if (!isCount(retries)) throw new TypeError("retries must be a whole number from 0")
  for (const [name, value] of Object.entries(timeouts)) {
    if (!(value > 0)) throw new TypeError(`timeouts.${name} must be milliseconds, more than 0`)
  }
}

/** Sends requests by the options and the platform, and retries each when that is safe. */
export const connect = (options: ClientOptions, platform: Platform, timing: Timing): Connection => {
  check(options)
  const {
    credentials = "omit",
    key,
    retries = 4,
    timeouts: { finalize = 600_000, idle = 60_000, request = 30_000 } = {}
  } = options
  const times = { finalize, request }
  const base = options.url.replace(/\/+$/, "")
  const { ask, put } =
    options.fetch === undefined ? platform : { ask: fetchAsk(options.fetch), put: fetchPut(options.fetch) }

  const send = (
    name: string,
    { again, signal }: { readonly again: Again; readonly signal: AbortSignal | undefined },
    once: () => Promise<HttpResponse>
  ): Promise<HttpResponse> =>
    retrying(
      () =>
        attempt(name, signal, async () => {
          const answer = await once()
          if (answer.status >= 200 && answer.status < 300) return answer
          throw refusalOf(name, answer, timing.now())
        }),
      { again, retries, signal, timing }
    )

  return {
    ask: async ({ again, body, idempotencyKey, method, path, query = {}, signal, time }) => {
      const authorization = authorizationOf(typeof key === "function" ? await key() : key)
      return send(`${method} ${path}`, { again, signal }, () =>
        ask({
          method,
          url: base + path + searchOf(query),
          credentials,
          headers: {
            ...authorization,
            ...(body === undefined ? {} : { "content-type": "application/json" }),
            ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey })
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
          signal: endingAfter(times[time], signal)
        })
      )
    },
    put: async ({ name, onBytes, signal, slot, source }) => {
      const { contentType, putUrl: url, sizeBytes } = slot
      if (source.sizeBytes !== undefined && source.sizeBytes !== sizeBytes) {
        throw unfit(name, `It has ${source.sizeBytes} bytes, and the slot is for ${sizeBytes}.`)
      }
      const again = source.isRepeatable ? "whatever passes" : "never"
      await send(`PUT of ${name}`, { again, signal }, () =>
        put({ contentType, idleMs: idle, name, onBytes, signal, sizeBytes, source, url })
      )
    }
  }
}
