import { Agent } from "@effect/platform-node/Undici"
import { Context, Effect, Layer } from "effect"
import type { Answer, Json } from "./Exchange.ts"
import { noAnswer, tooLate } from "./noAnswer.ts"
import type { NoAnswer } from "./Session.ts"

/** A request as it goes over the wire. */
export interface Outgoing {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array | string | undefined
  readonly timeoutMs: number
}

/** What is read of an answer, in bytes. */
const most = 4 * 1024 ** 2
/** What is kept of one that isn't JSON, in characters. */
const mostOfText = 16 * 1024

/** How deep an answer may nest: nobody's does, and what goes through it isn't to run out of stack. */
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

/**
 * Sends requests over HTTP as they are: no redirect is followed, nothing is tried again, no header is added but what HTTP
 * itself wants. An answer is read to its end, up to 4 MiB; of one that isn't JSON, or nests without end, the first 16 Ki
 * characters are kept.
 */
export class Transport extends Context.Service<
  Transport,
  { readonly send: (request: Outgoing) => Effect.Effect<Answer, NoAnswer> }
>()("slipway/conformance/session/transport/Transport") {
  /** Over connections of its own, closed with the layer. */
  static readonly layer = Layer.effect(
    Transport,
    Effect.gen(function* () {
      const agent = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent({ headersTimeout: 0, bodyTimeout: 0, connectTimeout: 0 })),
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
