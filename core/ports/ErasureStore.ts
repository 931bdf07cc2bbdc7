import { Context, type DateTime, type Effect } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { ErasedAccount, ErasedCounts, ErasedUpload, Erasure } from "../model/MetadataRecord.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { ObjectDeletion } from "../model/HostedObject.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** What one step deleted. `isOver` if nothing of the account is left, not even its id. */
export interface ErasureStep {
  readonly erased: ErasedCounts
  readonly isOver: boolean
}

/** Erases accounts: the first commit hides an account, then steps delete its records. All times are given. */
export class ErasureStore extends Context.Service<
  ErasureStore,
  {
    /**
     * Hides an account from now on: no other port finds it, its keys, sessions and share links. No CI can exchange a token for it,
     * and its name is free. Records that are stored for its id after this stay until a step deletes them. Returns `false` and
     * changes nothing if there is no such account, or it is being erased already.
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
     * One atomic step: deletes these uploads of an account that is being erased, and stores the removals of their bytes
     * (`ObjectDeletionStore`). Without uploads, it deletes at most `limit` other records, those without references to them first. The
     * sessions of keys and the log of webhooks don't count towards `limit`. Adds the counts to the `gone` of the account.
     *
     * If nothing is left and `now` is `settledAt` or later, the account and its usage counts are deleted too. Of concurrent steps,
     * only one reports that.
     */
    readonly eraseStep: (step: {
      readonly account: AccountId
      readonly now: DateTime.Utc
      readonly uploads: ReadonlyArray<ErasedUpload & { readonly removals: ReadonlyArray<ObjectDeletion> }>
      readonly limit: number
    }) => Effect.Effect<ErasureStep, WriteFailure>
  }
>()("slipway/core/ports/ErasureStore") {}
