import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Reader } from "../model/ApiKey.ts"
import { NotFound, type InvalidRequest } from "../model/Problem.ts"
import { subjectOf, type Resource } from "../model/Resource.ts"
import { RetentionStore } from "../ports/RetentionStore.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { makeAuditing } from "./auditing.ts"

/** Keeps resources regardless of retention rules, and releases them: of the account if given, else of any account. */
export const makeRetentionHolds = Effect.gen(function* () {
  const auditing = yield* makeAuditing
  const store = yield* RetentionStore
  return {
    /** Answers since when the resource is kept; `none` if it doesn't exist. */
    keep: Effect.fnUntraced(function* (resource: Resource, account?: AccountId) {
      const now = yield* DateTime.now
      const hold = yield* auditing(
        { action: "keep.began", at: now, subject: subjectOf(resource) },
        store.keep(resource, now, account),
        Option.exists(({ at }) => DateTime.Equivalence(at, now)),
        (hold) => Option.getOrUndefined(hold)?.accountId
      )
      return Option.map(hold, ({ at }) => at)
    }),
    /** Answers whether the resource exists. */
    release: Effect.fnUntraced(function* (resource: Resource, account?: AccountId) {
      const released = yield* auditing(
        { action: "keep.ended", at: yield* DateTime.now, subject: subjectOf(resource) },
        store.release(resource, account),
        Option.exists(({ keptAt }) => keptAt !== undefined),
        (released) => Option.getOrUndefined(released)?.accountId
      )
      return Option.isSome(released)
    })
  }
})

/** Keeps resources of an account regardless of retention rules. */
export class RetentionHolds extends Context.Service<
  RetentionHolds,
  {
    /** Keeps a build, preview or run of the account until it is released; a run keeps its preview. `NotFound` when there is none. */
    readonly keep: (reader: Reader, resource: Resource) => Effect.Effect<void, NotFound | InvalidRequest | WriteFailure>
    /** Releases it, so that retention rules apply again. `NotFound` when there is none. */
    readonly release: (
      reader: Reader,
      resource: Resource
    ) => Effect.Effect<void, NotFound | InvalidRequest | WriteFailure>
  }
>()("slipway/core/service/RetentionHolds") {
  static readonly layer = Layer.effect(
    RetentionHolds,
    Effect.gen(function* () {
      const retentionHolds = yield* makeRetentionHolds
      const keep = Effect.fn("RetentionHolds.keep")(function* ({ account }: Reader, resource: Resource) {
        if (Option.isNone(yield* retentionHolds.keep(resource, account.id))) return yield* NotFound.default
      })
      const release = Effect.fn("RetentionHolds.release")(function* ({ account }: Reader, resource: Resource) {
        if (!(yield* retentionHolds.release(resource, account.id))) return yield* NotFound.default
      })
      return RetentionHolds.of({ keep, release })
    })
  )
}
