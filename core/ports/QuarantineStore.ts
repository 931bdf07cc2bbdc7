import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Quarantine, QuarantineView } from "../model/Quarantine.ts"
import type { RepositoryKey } from "../model/Repository.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { TestId } from "../model/TestHistory.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** A cursor in a list of quarantines: just after this one. */
export type QuarantineCursor = Pick<Quarantine, "createdAt" | "testId">

/** Stores quarantines of tests. Nothing is cached: the next call on any host of the same engine sees a change. */
export class QuarantineStore extends Context.Service<
  QuarantineStore,
  {
    /** Stores a quarantine, in place of an earlier one of its test. Its repository is stored already. */
    readonly put: (quarantine: Quarantine) => Effect.Effect<void, WriteFailure>
    /** Deletes the quarantine of a test of the account. `none` if there is none. */
    readonly remove: (account: AccountId, testId: TestId) => Effect.Effect<Option.Option<Quarantine>, WriteFailure>
    /** The quarantine of a test, in force or not, if the account links its repository. */
    readonly find: (account: AccountId, testId: TestId) => Effect.Effect<Option.Option<QuarantineView>, Unavailable>
    /**
     * At most `limit` quarantines of a repository, in force or not: the newest first by `createdAt`, then by the id of the test, greatest
     * first. `none` if the repository is not linked to the account.
     */
    readonly list: (query: {
      readonly account: AccountId
      readonly repository: RepositoryKey
      readonly after?: QuarantineCursor | undefined
      readonly limit: number
    }) => Effect.Effect<Option.Option<ReadonlyArray<Quarantine>>, Unavailable>
    /** At most `limit` quarantines of any account that end at `until` or before and have no `expiredAt`, those that ended first. */
    readonly due: (query: {
      readonly until: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<QuarantineView>, Unavailable>
    /**
     * Sets `expiredAt` of a quarantine, and stores `event` with it (`Outbox`). Returns `false` and changes nothing if it is set already,
     * or the stored quarantine has another `expiresAt`, or there is none. Of concurrent calls, one returns `true`.
     */
    readonly expire: (change: {
      readonly quarantine: Pick<Quarantine, "testId" | "expiresAt">
      readonly at: DateTime.Utc
      readonly event?: SlipwayEvent | undefined
    }) => Effect.Effect<boolean, WriteFailure>
  }
>()("slipway/core/ports/QuarantineStore") {}
