import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { BuildId, BuildReservation, BuildView, Platform } from "../model/Build.ts"
import type { Preview, ShareId } from "../model/Preview.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { RepositoryKey } from "../model/Repository.ts"
import type { ReservationId } from "../model/Reservation.ts"
import type { TestRunId, TestRunView } from "../model/TestRun.ts"

/** How many of a repository's newest builds are searched for branches. */
export const branchWindow = 1000

/** The runs before and after one, of the same test. */
export interface RunNeighbours {
  readonly previous: Option.Option<TestRunView>
  readonly next: Option.Option<TestRunView>
}

/**
 * Lists of the records of the other stores, for people to browse. They contain only what belongs to the account and to a
 * repository that is currently linked to it. Builds are ordered by id and runs by the rule `compareRuns`: newest first.
 */
export class OverviewStore extends Context.Service<
  OverviewStore,
  {
    /**
     * The newest build of each branch, platform and app, at most `limit`, of all repositories or of the one that is named. Only
     * the newest `branchWindow` builds of each repository are searched, so a branch that was last built before them is
     * missing.
     */
    readonly branches: (query: {
      readonly account: AccountId
      readonly repository?: RepositoryKey | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<BuildView>, Unavailable>
    /** A repository's builds, at most `limit`: of one branch, of one platform, of one app and older than `after`, where given. */
    readonly builds: (query: {
      readonly account: AccountId
      readonly repository: RepositoryKey
      readonly branch?: string | undefined
      readonly platform?: Platform | undefined
      readonly app?: string | undefined
      readonly after?: BuildId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<BuildView>, Unavailable>
    /** The reservations of a build, newest first (by id), at most `limit`. */
    readonly uploads: (
      account: AccountId,
      build: BuildId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BuildReservation>, Unavailable>
    /** The account's runs that point at a preview, at most `limit`. */
    readonly runsOf: (
      account: AccountId,
      preview: ShareId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TestRunView>, Unavailable>
    /** The runs of the same test (`testIdOf`) that were registered just before and after one. */
    readonly neighbours: (account: AccountId, run: TestRunId) => Effect.Effect<RunNeighbours, Unavailable>
    /**
     * The previews of a repository that are ready, whether or not a run points at them, older than `after` where given, at most `limit`;
     * newest first, by the ids of their reservations. With `isTestRun: false`, without those whose `billingKind` is `test_run`.
     */
    readonly previews: (query: {
      readonly account: AccountId
      readonly repository: RepositoryKey
      readonly isTestRun?: false | undefined
      readonly after?: ReservationId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<Preview>, Unavailable>
    /** How many billed test runs of the account were finalized at `from` or later, in linked repositories or not. */
    readonly billedSince: (account: AccountId, from: DateTime.Utc) => Effect.Effect<number, Unavailable>
  }
>()("slipway/core/ports/OverviewStore") {}
