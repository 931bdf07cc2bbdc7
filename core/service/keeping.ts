import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import { RetentionStore, type Keepable } from "../ports/RetentionStore.ts"
import { makeAuditing } from "./auditing.ts"

const subjectOf = (resource: Keepable): string => Object.entries(resource).join().replace(",", ":")

/** Keeps things whatever the rules of retention say, and releases them: of an account, where it is given, and of whichever else. */
export const makeKeeping = Effect.gen(function* () {
  const auditing = yield* makeAuditing
  const store = yield* RetentionStore
  return {
    /** Answers since when the thing is kept; `none` when there is no such thing. */
    keep: Effect.fnUntraced(function* (resource: Keepable, account?: AccountId) {
      const now = yield* DateTime.now
      const kept = yield* auditing(
        { action: "keep.began", at: now, subject: subjectOf(resource) },
        store.keep(resource, now, account),
        Option.exists(({ at }) => DateTime.Equivalence(at, now)),
        (kept) => Option.getOrUndefined(kept)?.accountId
      )
      return Option.map(kept, ({ at }) => at)
    }),
    /** Answers whether there is such a thing. */
    release: Effect.fnUntraced(function* (resource: Keepable, account?: AccountId) {
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
