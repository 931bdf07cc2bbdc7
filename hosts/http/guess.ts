import { Effect } from "effect"
import { RateLimits } from "../../core/service/RateLimits.ts"
import { client } from "./clientAddress.ts"

/** `RateLimits.guess` for whoever sends the request at hand. */
export const guess = <A, E extends { readonly _tag: string }, R>(wrong: E["_tag"], attempt: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    return yield* (yield* RateLimits).guess(yield* client, wrong, attempt)
  })
