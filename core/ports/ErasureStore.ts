import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { ErasedAccount, ErasedUpload, Erasure, ErasedCounts } from "../model/Erasure.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Removal } from "../model/Removal.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** What one step took. `isOver` when nothing is left of the account, not even its id. */
export interface ErasureStep {
  readonly erased: ErasedCounts
  readonly isOver: boolean
}

/** Erases accounts: first they are hidden in one commit, then they are taken in steps. All times are given. */
export class ErasureStore extends Context.Service<
  ErasureStore,
  {
    /**
     * Hides an account from now on: no other port finds it, its keys, sessions and share links, nor lets a CI exchange a token for
     * it, and its name is free. What is stored by its id meanwhile stays until it is taken. Answers `false`, and changes
     * nothing, when there is no such account, or it is being erased already.
     */
    readonly begin: (account: AccountId, erasure: Erasure) => Effect.Effect<boolean, WriteFailure>
    /** The accounts that are being erased, ordered by id. */
    readonly list: Effect.Effect<ReadonlyArray<ErasedAccount>, Unavailable>
    /** At most `limit` uploads of builds and previews of an account that is being erased, none of another account. */
    readonly uploads: (query: {
      readonly account: AccountId
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ErasedUpload>, Unavailable>
    /**
     * One step, all of it or nothing: takes these uploads of an account that is being erased, and stores the removals of their
     * bytes (`RemovalStore`). Without uploads, it takes at most `limit` other records, with the sessions of keys and the
     * log of webhooks beyond that: first those to which no other refers. Adds what it took to the `gone` of the account.
     *
     * With nothing left, at `settledAt` or later by `now`, the account goes itself, with what was counted of its usage. Of steps
     * at the same time, one answers so.
     */
    readonly eraseStep: (step: {
      readonly account: AccountId
      readonly now: DateTime.Utc
      readonly uploads: ReadonlyArray<ErasedUpload & { readonly removals: ReadonlyArray<Removal> }>
      readonly limit: number
    }) => Effect.Effect<ErasureStep, WriteFailure>
  }
>()("slipway/core/ports/ErasureStore") {}
