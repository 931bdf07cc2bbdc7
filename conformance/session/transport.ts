import { Context, Effect, Layer } from "effect"
import type { Answer, Json } from "./Exchange.ts"
import { noAnswer, tooLate } from "./noAnswer.ts"
import type { NoAnswer } from "./Session.ts"

export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string | undefined
  readonly timeoutMs: number
}

/** The greatest number of bytes that are read of an answer. */
const most = 4 * 1024 ** 2
/** How many characters are kept of an answer that isn't JSON. */
const mostOfText = 16 * 1024

/** The greatest nesting of an answer. A deeper one could exhaust the stack of the code that reads it. */
const deepest = 100

const isTooDeep = (text: string): boolean => {
  let depth = 0
  for (const [found] of text.matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (found === "[" || found === "{") depth += 1
    if (found === "]" || found === "}") depth -= 1
    if (depth > deepest) return true
  }
  return false
}

const parse = (text: string): Json | undefined => {
  try {
    return isTooDeep(text) ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

/** An answer of this status, headers and text. */
export const toAnswer = (status: number, headers: Readonly<Record<string, string>>, text: string): Answer => {
  const json = parse(text)
  return { status, headers, text: json === undefined ? text.slice(0, mostOfText) : text, json }
}

const read = async (body: AsyncIterable<Uint8Array>): Promise<string> => {
  const decoder = new TextDecoder()
  const texts: Array<string> = []
  let size = 0
  for await (const chunk of body) {
    texts.push(decoder.decode(chunk, { stream: true }))
    size += chunk.byteLength
    if (size > most) break
  }
  return texts.join("")
}

/** Loaded on first use: reading reports doesn't need this package, and the error for a missing one names it. */
const undici = Effect.promise(() =>
  import("@effect/platform-node/Undici").then(
    // Its named exports are lost where the program is bundled.
    (module) => module.default,
    (cause: unknown) => {
      throw new Error("Checking over HTTP needs a package: npm i @effect/platform-node@4.1.0", { cause })
    }
  )
)

/**
 * Sends requests over HTTP unchanged: it follows no redirect, repeats nothing and adds only the headers that HTTP
 * requires. An answer is read to its end, up to 4 MiB. Of an answer that isn't JSON or is nested too deeply, the first
 * 16 Ki characters are kept.
 */
export class Transport extends Context.Service<
  Transport,
  { readonly send: (request: Outgoing) => Effect.Effect<Answer, NoAnswer> }
>()("slipway/conformance/session/transport/Transport") {
  /** The transport on its own connections, through the proxy that `HTTPS_PROXY` and `HTTP_PROXY` name, if any. */
  static readonly layer = Layer.effect(
    Transport,
    Effect.gen(function* () {
      const { EnvHttpProxyAgent } = yield* undici
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new EnvHttpProxyAgent({ headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0 })),
        (agent) => Effect.promise(() => agent.destroy())
      )
      const send = ({ body, headers, method, timeoutMs, url }: Outgoing) => {
        const { origin, pathname, search } = new URL(url)
        return Effect.tryPromise({
          try: async (signal) => {
            const answer = await agent.request({
              origin,
              path: pathname + search,
              method,
              headers,
              body: body ?? null,
              signal
            })
            const said = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const)
            return toAnswer(answer.statusCode, Object.fromEntries(said), await read(answer.body))
          },
          catch: (error) => noAnswer(url, error)
        }).pipe(Effect.timeoutOrElse({ duration: timeoutMs, orElse: () => Effect.fail(tooLate(url, timeoutMs)) }))
      }
      return Transport.of({ send })
    })
  )
}
