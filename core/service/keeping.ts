import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import { type Resource, subjectOf } from "../model/Resource.ts"
import { RetentionStore } from "../ports/RetentionStore.ts"
import { makeAuditing } from "./auditing.ts"

/** Keeps resources regardless of retention rules, and releases them: of the account if given, else of any account. */
export const makeKeeping = Effect.gen(function* () {
  const auditing = yield* makeAuditing
  const store = yield* RetentionStore
  return {
    /** Answers since when the resource is kept; `none` if it doesn't exist. */
    keep: Effect.fnUntraced(function* (resource: Resource, account?: AccountId) {
      const now = yield* DateTime.now
      const kept = yield* auditing(
        { action: "keep.began", at: now, subject: subjectOf(resource) },
        store.keep(resource, now, account),
        Option.exists(({ at }) => DateTime.Equivalence(at, now)),
        (kept) => Option.getOrUndefined(kept)?.accountId
      )
      return Option.map(kept, ({ at }) => at)
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
