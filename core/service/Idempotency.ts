import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import * as AeadModule from "effect/crypto/Aead"
import { Aead, aes256Gcm } from "effect/crypto/Aead"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { Caller } from "../model/ApiKey.ts"
import { IdempotencyConflict, QuotaExceeded, RateLimited, type Unavailable } from "../model/Problem.ts"
import { IdempotencyStore, type Once } from "../ports/IdempotencyStore.ts"
import { canonicalJsonChunks } from "../rules/canonicalJson.ts"
import { hashSecret } from "../rules/credentials.ts"
import { inSpan } from "./telemetry.ts"

const nonceBytes = 12

/** Whether a refusal is about what the account has open or used, which a concurrent request may have changed. */
const isNoRoom = (error: unknown): boolean => error instanceof QuotaExceeded || error instanceof RateLimited

/** The SHA-256 of a request as canonical JSON. Other fibers run between the chunks of a large one. */
const hashOf = Effect.fnUntraced(function* (request: unknown) {
  const hash = sha256.create()
  let hashedChunks = 0
  for (const chunk of canonicalJsonChunks(request)) {
    if (hashedChunks++ > 0) yield* Effect.yieldNow
    hash.update(utf8ToBytes(chunk))
  }
  return bytesToHex(hash.digest())
})

/** A request that may carry an `Idempotency-Key`. */
interface KeyedRequest<A> {
  readonly caller: Caller
  /** What the request carries as its key, if it does. */
  readonly key: string | undefined
  /** The content of the request, which is compared with that of an earlier request with the same key. */
  readonly request: unknown
  /**
   * The stored part of the answer, without what can be derived from the request, so that a large request doesn't make a large
   * answer. The rest is derived from the repeated request.
   */
  readonly answer: Schema.Codec<A, unknown>
}

/** Lets a request be answered only once. */
interface OnceOnly<A> {
  /**
   * Repeats the answer to the same request earlier. Without a key, or if this request is the first one with its key, runs `first`. If
   * that finds no room, a concurrent request with the key may have used the last of it, so the earlier answer is looked up again.
   */
  readonly respond: <B, E, R, E2, R2>(
    repeat: (earlier: A) => Effect.Effect<B, E, R>,
    first: Effect.Effect<B, E2, R2>
  ) => Effect.Effect<B, E | E2 | IdempotencyConflict | Unavailable, R | R2>
  /** The answer that the commit has to store with its change. `undefined` without a key. */
  readonly store: (answer: A) => Effect.Effect<Once | undefined>
}

/**
 * Repeats the first answer to the same request with the same `Idempotency-Key` of the same account for 24 hours. Of concurrent
 * requests, the later commit fails with `Conflict`, and its next attempt finds the earlier answer. Another request with the same
 * key fails with `IdempotencyConflict`. Errors are not stored.
 *
 * An answer may contain a reservation's token, which is never stored in plain text. So the stored answer is encrypted with the key,
 * and only a hash of the key is stored.
 */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Prepares the answer to a request. It reads nothing yet. */
    readonly of: <A>(request: KeyedRequest<A>) => Effect.Effect<OnceOnly<A>>
  }
>()("slipway/core/service/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const aead = yield* Aead
      const random = yield* SecureRandom

      const of = Effect.fnUntraced(function* <A>({ answer, caller, key, request }: KeyedRequest<A>) {
        if (key === undefined) {
          const unkeyed: OnceOnly<A> = { respond: (_, first) => first, store: () => Effect.undefined }
          return unkeyed
        }

        const accountId = caller.account.id
        const keyHash = hashSecret(`idempotency key\n${accountId}\n${key}`)
        const requestHash = yield* hashOf(request)
        const sealing = yield* Effect.orDie(
          AeadModule.key(aes256Gcm, sha256(utf8ToBytes(`idempotent answer\n${accountId}\n${key}`)))
        )
        const codec = Schema.fromJsonString(Schema.toCodecJson(answer))

        const open = Effect.fnUntraced(function* (sealedAnswer: string) {
          const bytes = yield* Effect.fromResult(Base64Url.decode(sealedAnswer))
          const nonce = bytes.subarray(0, nonceBytes)
          const text = yield* aead.decrypt(sealing, bytes.subarray(nonceBytes), { nonce })
          return yield* Schema.decodeEffect(codec)(new TextDecoder().decode(text))
        }, Effect.orDie)

        const earlier = Effect.gen(function* () {
          const stored = yield* store.find(accountId, keyHash, yield* DateTime.now)
          if (Option.isNone(stored)) return Option.none<A>()
          if (stored.value.requestHash === requestHash) return Option.some(yield* open(stored.value.sealedAnswer))
          return yield* new IdempotencyConflict({
            detail: "This Idempotency-Key was used for another request; use a new key for a new request."
          })
        })

        const keep = Effect.fnUntraced(function* (answer: A) {
          const now = yield* DateTime.now
          const nonce = yield* random.randomBytes(nonceBytes)
          const text = yield* Effect.orDie(Schema.encodeEffect(codec)(answer))
          const sealed = yield* Effect.orDie(aead.encrypt(sealing, utf8ToBytes(text), { nonce }))
          const sealedAnswer = Base64Url.encode(concatBytes(nonce, sealed))
          const expiresAt = DateTime.add(now, { hours: 24 })
          return { now, answer: { accountId, keyHash, requestHash, sealedAnswer, expiresAt } }
        })

        const respond = <B, E, R, E2, R2>(
          repeat: (earlier: A) => Effect.Effect<B, E, R>,
          first: Effect.Effect<B, E2, R2>
        ) => {
          const orElse = <E3, R3>(otherwise: Effect.Effect<B, E3, R3>) =>
            Effect.flatMap(earlier, (stored): Effect.Effect<B, E | E3, R | R3> =>
              Option.isSome(stored) ? repeat(stored.value) : otherwise
            )
          return orElse(Effect.catchIf(first, isNoRoom, (refusal) => orElse(Effect.fail(refusal))))
        }
        const keyed: OnceOnly<A> = { respond, store: keep }
        return keyed
      }, inSpan("Idempotency.of"))

      return Idempotency.of({ of })
    })
  )
}
