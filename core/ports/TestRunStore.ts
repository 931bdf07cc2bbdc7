import { Context, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditEntry } from "../model/AuditEntry.ts"
import type { Preview, ShareId } from "../model/Preview.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryKey } from "../model/Repository.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { RunCursor, TestRun, TestRunId, TestRunKind, TestRunStatus, TestRunView } from "../model/TestRun.ts"
import type { Conflict } from "./Conflict.ts"
import type { Once } from "./IdempotencyStore.ts"
import type { Within } from "./UsageStore.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** Which runs of a repository to list: those for which every field that is given is the same. */
export interface RunFilter {
  readonly branch?: string | undefined
  readonly kind?: TestRunKind | undefined
  readonly status?: TestRunStatus | undefined
  readonly source?: string | undefined
  /** What a source is before its first `/`, or all of it where it has none: the runs of every attempt at a CI run. */
  readonly ciRun?: string | undefined
  readonly pr?: number | undefined
}

/** Keeps test runs. Reads answer only what belongs to the account and to a repository that is linked to it now. */
export class TestRunStore extends Context.Service<
  TestRunStore,
  {
    /** What registering a run needs: the account's repository and the account's preview, each if there is one. */
    readonly loadForRegister: (
      account: AccountId,
      repository: RepositoryKey,
      preview: ShareId
    ) => Effect.Effect<
      { readonly repository: Option.Option<Repository>; readonly preview: Option.Option<Preview> },
      Unavailable
    >
    /**
     * Stores a new run, and `once`, `event` (`Outbox`) and `entry` (`AuditLog`) with it, all or nothing. Its id is new; its repository is stored already.
     * `Conflict` when it would exceed a quota of `within`, as for `BuildStore.commitReserve`.
     * Every later list has it.
     */
    readonly insert: (change: {
      readonly run: TestRun
      readonly once?: Once | undefined
      readonly event?: SlipwayEvent | undefined
      readonly entry?: AuditEntry | undefined
      readonly within?: Within | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /**
     * Removes a run and the share links to it. `Conflict`, and nothing changes, when the account has no such run.
     */
    readonly commitDelete: (run: Pick<TestRun, "accountId" | "id">) => Effect.Effect<void, Conflict | WriteFailure>
    /** One run of the account. */
    readonly find: (account: AccountId, id: TestRunId) => Effect.Effect<Option.Option<TestRunView>, Unavailable>
    /**
     * The runs of a repository that pass the filter and come after `after`, in the order of the rule `compareRuns`, at most
     * `limit`, and none behind the first with which their `metadataBytes` together are more than `bytes`. `none` when the repository
     * is not linked to the account.
     */
    readonly list: (query: {
      readonly account: AccountId
      readonly repository: RepositoryKey
      readonly filter: RunFilter
      readonly after: Option.Option<RunCursor>
      readonly limit: number
      readonly bytes: number
    }) => Effect.Effect<Option.Option<ReadonlyArray<TestRunView>>, Unavailable>
  }
>()("slipway/core/ports/TestRunStore") {}
