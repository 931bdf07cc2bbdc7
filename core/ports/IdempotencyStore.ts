import { Context } from "effect"
import type { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { IdempotentAnswer } from "../model/Idempotency.ts"
import type { Unavailable } from "../model/Problem.ts"

/**
 * Finds what was answered to a request with an `Idempotency-Key`. It is kept together with what the request did, by the
 * commit that takes it as `once`.
 */
export class IdempotencyStore extends Context.Service<
  IdempotencyStore,
  {
    /** What is kept for the account under the key's hash, unless it has expired at `now`. */
    readonly find: (
      account: AccountId,
      keyHash: string,
      now: DateTime.Utc
    ) => Effect.Effect<Option.Option<IdempotentAnswer>, Unavailable>
  }
>()("slipway/core/ports/IdempotencyStore") {}

/**
 * What a commit keeps beside its change, for {@link IdempotencyStore}. While something that has not expired at `now` is
 * kept for the same account and key hash, the whole commit is a `Conflict` and changes nothing.
 */
export interface Once {
  readonly answer: IdempotentAnswer
  readonly now: DateTime.Utc
}
