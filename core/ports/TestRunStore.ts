import type { HistoryChange } from "../model/TestHistory.ts"
import { Context, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { AuditEntry } from "../model/AuditEntry.ts"
import type { Preview, ShareId } from "../model/Preview.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryKey } from "../model/Repository.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { RunCursor, TestRun, TestRunId, TestRunKind, TestRunStatus, TestRunView } from "../model/TestRun.ts"
import type { Conflict, WriteFailure } from "./WriteFailure.ts"
import type { Once } from "./IdempotencyStore.ts"
import type { QuotaCheck } from "./UsageStore.ts"

/** Selects the runs of a repository in which every given field is equal. */
export interface RunFilter {
  readonly branch?: string | undefined
  readonly commitSha?: string | undefined
  readonly kind?: TestRunKind | undefined
  readonly status?: TestRunStatus | undefined
  readonly source?: string | undefined
  /** The part of a source before its first `/`, or all of it: selects the runs of every attempt at a CI run. */
  readonly ciRun?: string | undefined
  readonly pr?: number | undefined
  readonly app?: string | undefined
}

/** Stores test runs. Reads return only what belongs to the account and to a repository that is currently linked to it. */
export class TestRunStore extends Context.Service<
  TestRunStore,
  {
    /** The data to register a run: the account's repository and the account's preview, each if it exists. */
    readonly loadForRegister: (
      account: AccountId,
      repository: RepositoryKey,
      preview: ShareId
    ) => Effect.Effect<
      { readonly repository: Option.Option<Repository>; readonly preview: Option.Option<Preview> },
      Unavailable
    >
    /**
     * Atomically stores a new run, `history` (`TestHistoryStore`), `once`, `events` (`Outbox`) and `entry` (`AuditLog`). Its id is new;
     * its repository is stored already. `Conflict`, and nothing is stored, if it would exceed a quota of `within`, as for
     * `BuildStore.commitReserve`, or if a history has another version than `history` expects. Every later list includes it.
     */
    readonly insert: (change: {
      readonly run: TestRun
      readonly history?: HistoryChange | undefined
      readonly once?: Once | undefined
      readonly events?: ReadonlyArray<SlipwayEvent> | undefined
      readonly entry?: AuditEntry | undefined
      readonly within?: QuotaCheck | undefined
    }) => Effect.Effect<void, Conflict | WriteFailure>
    /**
     * Deletes a run and its share links, and changes histories. Fails with `Conflict` and changes nothing if the account has no such
     * run, or if a history has another version than `history` expects.
     */
    readonly commitDelete: (
      run: Pick<TestRun, "accountId" | "id">,
      history?: HistoryChange
    ) => Effect.Effect<void, Conflict | WriteFailure>
    /** One run of the account. */
    readonly find: (account: AccountId, id: TestRunId) => Effect.Effect<Option.Option<TestRunView>, Unavailable>
    /**
     * At most `limit` runs of a repository that match the filter and come after `after`, in the order of the rule `compareRuns`. The
     * list ends with the run at which the sum of `metadataBytes` exceeds `bytes`. `none` if the repository is not linked to the
     * account.
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
