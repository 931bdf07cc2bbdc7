import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js"
import { Context, DateTime, Effect, Layer, Option, Schema } from "effect"
import { Aead, aes256Gcm } from "effect/crypto/Aead"
import * as AeadModule from "effect/crypto/Aead"
import { SecureRandom } from "effect/crypto/SecureRandom"
import * as Base64Url from "effect/encoding/Base64Url"
import type { Caller } from "../model/Principal.ts"
import { IdempotencyConflict } from "../model/Problem.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Conflict } from "../ports/Conflict.ts"
import { IdempotencyStore } from "../ports/IdempotencyStore.ts"
import type { Once } from "../ports/IdempotencyStore.ts"
import { canonicalJsonPieces } from "../rules/canonicalJson.ts"
import { hashSecret } from "../rules/secrets.ts"
import { decideAgain } from "./decideAgain.ts"

const nonceBytes = 12

/** The SHA-256 of a request as canonical JSON. Others have their turn between the pieces of a large one. */
const hashOf = Effect.fnUntraced(function* (request: unknown) {
  const hash = sha256.create()
  let taken = 0
  for (const piece of canonicalJsonPieces(request)) {
    if (taken++ > 0) yield* Effect.yieldNow
    hash.update(utf8ToBytes(piece))
  }
  return bytesToHex(hash.digest())
})

/** A request that may carry an idempotency key, and how it is answered the first time. */
export interface OnceRequest<A, E> {
  readonly caller: Caller
  readonly key: string | undefined
  /** All that makes the request what it is; compared with that of an earlier request with the same key. */
  readonly request: unknown
  readonly answer: Schema.Codec<A, unknown>
  /** Decides and commits. What `keep` gives is to be committed together with the change. */
  readonly attempt: (
    keep: (answer: A) => Effect.Effect<Once | undefined>
  ) => Effect.Effect<A, E | Conflict | Unavailable>
}

/**
 * Gives the first answer again to the same request with the same `Idempotency-Key` of the same account, for 24 hours, also
 * when two arrive at once. The key with another request is an `IdempotencyConflict`. Refusals are not kept.
 *
 * An answer may hold a reservation's token, which is stored nowhere in the clear. So the answer is stored encrypted with the
 * key, and of the key only a hash is stored.
 */
export class Idempotency extends Context.Service<
  Idempotency,
  {
    /** Carries the request out, or answers what it was answered the first time. */
    readonly once: <A, E>(request: OnceRequest<A, E>) => Effect.Effect<A, E | IdempotencyConflict | Unavailable>
  }
>()("slipway/core/service/Idempotency") {
  static readonly layer = Layer.effect(
    Idempotency,
    Effect.gen(function* () {
      const store = yield* IdempotencyStore
      const aead = yield* Aead
      const random = yield* SecureRandom

      const once = Effect.fn("Idempotency.once")(function* <A, E>(request: OnceRequest<A, E>) {
        const { attempt, caller, key: written } = request
        if (written === undefined) return yield* decideAgain(attempt(() => Effect.undefined))

        const account = caller.account.id
        const keyHash = hashSecret(`idempotency key\n${account}\n${written}`)
        const requestHash = yield* hashOf(request.request)
        const sealing = yield* Effect.orDie(
          AeadModule.key(aes256Gcm, sha256(utf8ToBytes(`idempotent answer\n${account}\n${written}`)))
        )
        const codec = Schema.fromJsonString(Schema.toCodecJson(request.answer))

        const keep = Effect.fnUntraced(function* (answer: A) {
          const now = yield* DateTime.now
          const nonce = yield* random.randomBytes(nonceBytes)
          const text = yield* Effect.orDie(Schema.encodeEffect(codec)(answer))
          const sealed = yield* Effect.orDie(aead.encrypt(sealing, utf8ToBytes(text), { nonce }))
          return {
            now,
            answer: {
              accountId: account,
              keyHash,
              requestHash,
              sealedAnswer: Base64Url.encode(concatBytes(nonce, sealed)),
              expiresAt: DateTime.add(now, { hours: 24 })
            }
          }
        })

        const open = Effect.fnUntraced(function* (sealedAnswer: string) {
          const bytes = yield* Effect.fromResult(Base64Url.decode(sealedAnswer))
          const nonce = bytes.subarray(0, nonceBytes)
          const text = yield* aead.decrypt(sealing, bytes.subarray(nonceBytes), { nonce })
          return yield* Schema.decodeEffect(codec)(new TextDecoder().decode(text))
        }, Effect.orDie)

        return yield* decideAgain(
          Effect.gen(function* () {
            const kept = yield* store.find(account, keyHash, yield* DateTime.now)
            if (Option.isNone(kept)) return yield* attempt(keep)
            if (kept.value.requestHash === requestHash) return yield* open(kept.value.sealedAnswer)
            return yield* new IdempotencyConflict({
              detail: "This Idempotency-Key was used for another request; use a new key for a new request."
            })
          })
        )
      })

      return Idempotency.of({ once })
    })
  )
}
