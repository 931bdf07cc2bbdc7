import { Context } from "effect"
import type { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { BuildId, BuildReservation, BuildView, Platform } from "../model/Build.ts"
import type { ShareId } from "../model/Preview.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { RepositoryKey } from "../model/Repository.ts"
import type { TestRunId, TestRunView } from "../model/TestRun.ts"

/** Of how many of a repository's last builds its branches are gathered. */
export const branchWindow = 1000

/** The runs before and after one, of the same repository and name. */
export interface RunNeighbours {
  readonly previous: Option.Option<TestRunView>
  readonly next: Option.Option<TestRunView>
}

/**
 * What people look through: lists of what the other stores keep. It answers only what belongs to the account and to a
 * repository that is linked to it now; a repository that isn't has nothing. Builds are ordered by their ids, runs as the
 * rule `compareRuns` has it: newest first.
 *
 * - `branches`: of the last `branchWindow` builds of each repository (of one, when it is named), the last of each
 *   branch and platform; newest first, at most `limit`. Where a branch was built last longer ago, it isn't among them.
 * - `builds`: a repository's, of one branch and one platform where they are given, behind `after`, at most `limit`.
 * - `uploads`: the reservations of a build, the last first (by id), at most `limit`.
 * - `runs`: of every repository of the account, at most `limit`.
 * - `runsOf`: the account's that point at a preview, at most `limit`.
 * - `neighbours`: the runs that stand next to one among those of its repository and name; a run without a name goes by
 *   its prompt.
 * - `billedSince`: how many billed test runs of the account were finalized at `from` or later, linked or not.
 */
export class OverviewStore extends Context.Service<
  OverviewStore,
  {
    readonly branches: (query: {
      readonly account: AccountId
      readonly repository?: RepositoryKey | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<BuildView>, Unavailable>
    readonly builds: (query: {
      readonly account: AccountId
      readonly repository: RepositoryKey
      readonly branch?: string | undefined
      readonly platform?: Platform | undefined
      readonly after?: BuildId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<BuildView>, Unavailable>
    readonly uploads: (
      account: AccountId,
      build: BuildId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<BuildReservation>, Unavailable>
    readonly runs: (account: AccountId, limit: number) => Effect.Effect<ReadonlyArray<TestRunView>, Unavailable>
    readonly runsOf: (
      account: AccountId,
      preview: ShareId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<TestRunView>, Unavailable>
    readonly neighbours: (account: AccountId, run: TestRunId) => Effect.Effect<RunNeighbours, Unavailable>
    readonly billedSince: (account: AccountId, from: DateTime.Utc) => Effect.Effect<number, Unavailable>
  }
>()("slipway/core/ports/OverviewStore") {}
