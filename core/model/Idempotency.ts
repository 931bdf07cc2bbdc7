import { Schema } from "effect"
import { AccountId } from "./Account.ts"

/** An `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export const idempotencyKeyPattern = /^[\x21-\x7e]{1,255}$/u
export const idempotencyKeyRule = "must be 1 to 255 visible ASCII characters"
export const IdempotencyKey = Schema.String.check(
  Schema.isPattern(idempotencyKeyPattern, { message: idempotencyKeyRule })
)

/**
 * The stored answer to a request with an `Idempotency-Key`, so that the same request gets the same answer again.
 *
 * The key itself is not stored, only its hash. The answer, which may contain a reservation's token, is encrypted with the key.
 */
export const IdempotentResponse = Schema.Struct({
  accountId: AccountId,
  keyHash: Schema.String,
  requestHash: Schema.String,
  sealedAnswer: Schema.String,
  expiresAt: Schema.DateTimeUtcFromString
})
export type IdempotentResponse = typeof IdempotentResponse.Type
