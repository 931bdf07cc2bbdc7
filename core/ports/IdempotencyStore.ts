import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { IdempotentResponse } from "../model/Idempotency.ts"
import type { Unavailable } from "../model/Problem.ts"

/**
 * Finds the answers to earlier requests with an `Idempotency-Key`. A commit stores an answer together with what the request
 * changed: its field `once`.
 */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** The answer stored for the account under the key's hash, unless it has expired at `now`. */
    readonly find: (
      account: AccountId,
      keyHash: string,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<IdempotentResponse>, Unavailable>
  }
>()("slipway/core/ports/IdempotencyStore") {}

/**
 * The answer that a commit stores together with its change, for {@link IdempotencyStore}. The whole commit fails with `Conflict`
 * and changes nothing if an answer that has not expired at `now` is stored for the same account and key hash.
 */
export interface Once {
  readonly answer: IdempotentResponse
  readonly now: DateTime.Utc
}
