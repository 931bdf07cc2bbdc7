import { Schema } from "effect"
import { AccountId } from "./Account.ts"

/** An `Idempotency-Key`: 1 to 255 visible ASCII characters. */
export const IdempotencyKey = Schema.String.check(
  Schema.isPattern(/^[\x21-\x7e]{1,255}$/u, { message: "must be 1 to 255 visible ASCII characters" })
)

/**
 * What is kept of a request that carried an `Idempotency-Key`, so that the same request again gets the same answer.
 *
 * The key itself is not kept, only its hash: the answer, which may hold a reservation's token, is sealed with the key.
 */
export const IdempotentAnswer = Schema.Struct({
  accountId: AccountId,
  keyHash: Schema.String,
  requestHash: Schema.String,
  sealedAnswer: Schema.String,
  expiresAt: Schema.DateTimeUtcFromString
})
export type IdempotentAnswer = typeof IdempotentAnswer.Type
