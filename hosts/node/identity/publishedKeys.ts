import { Clock, Data, Effect, Schema } from "effect"
import type { JWTVerifyGetKey } from "jose"

/** How long an issuer may take for each of its two answers, and how large each may be: GitHub's have 1 and 9 kB. */
const timeoutMs = 10_000
export const maxBytes = 256 * 1024

/** The public keys of an issuer, and when they were read. */
export interface KeySet {
  readonly keys: JWTVerifyGetKey
  readonly readAtMs: number
}

class IssuerUnusable extends Data.TaggedError("IssuerUnusable")<{ readonly message: string }> {}

const Description = Schema.Struct({ issuer: Schema.String, jwks_uri: Schema.URLFromString })

const Keys = Schema.Struct({
  keys: Schema.Array(Schema.Record(Schema.String, Schema.Unknown)).check(
    Schema.isMaxLength(100, { message: "must be at most 100 keys" })
  )
})

/** The JSON of a URL, to a bound of bytes. */
const readJson = (url: string) =>
  Effect.tryPromise({
    try: async (): Promise<unknown> => {
      const answer = await fetch(url, { redirect: "error", signal: AbortSignal.timeout(timeoutMs) })
      const pieces: Array<Uint8Array> = []
      let size = 0
      for await (const piece of answer.body ?? []) {
        size += piece.byteLength
        if (!answer.ok || size > maxBytes) break
        pieces.push(piece)
      }
      if (!answer.ok) throw new Error(`it answered ${answer.status}`)
      if (size > maxBytes) throw new Error(`it answered more than ${maxBytes} bytes`)
      return JSON.parse(Buffer.concat(pieces).toString())
    },
    catch: (cause) => new IssuerUnusable({ message: `${url}: ${String(cause)}` })
  })

/** The keys that an issuer publishes as OpenID Connect Discovery has it. */
export const publishedKeys = Effect.fnUntraced(function* (
  jose: Pick<typeof import("jose"), "createLocalJWKSet">,
  issuer: string
) {
  const described = yield* Effect.flatMap(
    readJson(`${issuer}/.well-known/openid-configuration`),
    Schema.decodeUnknownEffect(Description)
  )
  if (described.issuer !== issuer) {
    return yield* new IssuerUnusable({ message: `${issuer} describes itself as ${described.issuer}` })
  }
  const at = described.jwks_uri
  if (at.protocol !== "https:" && at.origin !== new URL(issuer).origin) {
    return yield* new IssuerUnusable({ message: `${issuer} publishes its keys without TLS at ${at.href}` })
  }
  const jwks = yield* Effect.flatMap(readJson(at.href), Schema.decodeUnknownEffect(Keys))
  const keys = yield* Effect.try({
    try: () => jose.createLocalJWKSet({ keys: jwks.keys.map((key) => ({ kty: "", ...key })) }),
    catch: (cause) => new IssuerUnusable({ message: `${at.href}: ${String(cause)}` })
  })
  return { keys, readAtMs: yield* Clock.currentTimeMillis } satisfies KeySet
})
