import { Context, type DateTime, type Effect, type Option } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { Repository, RepositoryId, RepositoryKey } from "../model/Repository.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { CiRun, ListedTest, LoadedHistory, TestHistory, TestId, TestView } from "../model/TestHistory.ts"
import type { TestRun, TestRunStatus } from "../model/TestRun.ts"
import type { Conflict, WriteFailure } from "./WriteFailure.ts"

/** A cursor in a list of tests: just after this one. */
export type TestCursor = Pick<ListedTest, "lastRunAt" | "testId">

/** A cursor in a list of CI runs: just after this one. */
export type CiRunCursor = Pick<CiRun, "startedAt" | "ciRun">

/** Which tests of a repository to list. */
export interface TestFilter {
  /** The branch whose results count; those of all branches where it is absent. */
  readonly branch?: string | undefined
  readonly status?: TestRunStatus | undefined
  /** Only tests with a flaky result that began then or later. */
  readonly flakySince?: DateTime.Utc | undefined
  readonly app?: string | undefined
  /** Only tests whose name, prompt, file, platform and app together contain every word, ASCII letters in either case. */
  readonly words?: ReadonlyArray<string> | undefined
  /** Only tests whose last run has this tag, or ran on a device of this name. Runs that are no longer stored have neither. */
  readonly tag?: string | undefined
  readonly device?: string | undefined
}

/** A test of all branches, with the names of its repository. */
export interface FoundTest {
  readonly test: ListedTest
  readonly repository: Pick<Repository, "owner" | "repo">
}

/** A CI run with the names of its repository. */
export interface FoundCiRun {
  readonly ciRun: CiRun
  readonly repository: Pick<Repository, "owner" | "repo">
}

/**
 * Selects CI runs of a pull request, or of commits that begin with a text of hexadecimal digits, or of a branch; or those
 * whose source, branch, author and commit message together contain every word, ASCII letters in either case,
 * among at least the newest `ciRunWindow` of the account.
 */
export type CiRunSearch =
  | { readonly pr: number }
  | { readonly commit: string }
  | { readonly branch: string }
  | { readonly words: ReadonlyArray<string> }

/** How many of a repository's newest CI runs are searched for branches, and of an account's for words. */
export const ciRunWindow = 1000

/** A branch of a repository's newest CI runs, how many of them it has, and when the last began. */
export interface BranchOfRuns {
  readonly branch: string
  readonly ciRuns: number
  readonly lastAt: DateTime.Utc
}

/**
 * Stores the histories of tests and the totals of CI runs, which `TestRunStore` changes in the commit that stores or deletes a run. A CI
 * run is deleted with its last run, unless imports of it are not complete.
 * They outlive the runs. Reads for people return only what belongs to the account and to a repository that it links now.
 */
export class TestHistoryStore extends Context.Service<
  TestHistoryStore,
  {
    /** What a commit that stores or deletes a run of this test has to read. */
    readonly loadForRun: (of: {
      readonly repositoryId: RepositoryId
      readonly testId: TestId
      readonly branch: string | undefined
      readonly ciRun: string
    }) => Effect.Effect<LoadedHistory, Unavailable>
    /**
     * The stored runs of a test that were registered last, newest first: at most `limit`, and none after the one at which the sum of
     * `metadataBytes` exceeds `bytes`.
     */
    readonly storedRuns: (
      testId: TestId,
      most: { readonly limit: number; readonly bytes: number }
    ) => Effect.Effect<ReadonlyArray<TestRun>, Unavailable>
    /**
     * How many tests a repository has, counted up to `limit`. If there are as many, also which of those with a single result, on any
     * branch, ran longest ago.
     */
    readonly room: (
      repository: RepositoryId,
      limit: number
    ) => Effect.Effect<{ readonly tests: number; readonly oldestSingle: Option.Option<TestId> }, Unavailable>
    /**
     * At most `limit` tests of a repository, those that ran last first, then by id, greatest first; or the slowest first by `p95Ms`,
     * then by id, without those that have none. `none` if the repository is not linked to the account.
     */
    readonly list: (query: {
      readonly account: AccountId
      readonly repository: RepositoryKey
      readonly filter: TestFilter
      readonly order: { readonly by: "newest"; readonly after?: TestCursor | undefined } | { readonly by: "slowest" }
      readonly limit: number
    }) => Effect.Effect<Option.Option<ReadonlyArray<ListedTest>>, Unavailable>
    /** The history of a test on a branch; without a branch, on all. */
    readonly find: (
      account: AccountId,
      testId: TestId,
      branch: string | undefined
    ) => Effect.Effect<Option.Option<TestView>, Unavailable>
    /** The histories of these tests on a branch, in any order, without those that don't exist; at most 1,000 ids. */
    readonly findEach: (
      account: AccountId,
      testIds: ReadonlyArray<TestId>,
      branch: string | undefined
    ) => Effect.Effect<ReadonlyArray<TestHistory>, Unavailable>
    /** The branches that a test ran on, the last one first, at most `limit`. */
    readonly branchesOf: (
      account: AccountId,
      testId: TestId,
      limit: number
    ) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * At most `limit` CI runs of a repository, of one branch or all, those that began last first, then by `ciRun`, greatest first.
     * `none` if the repository is not linked to the account.
     */
    readonly ciRuns: (query: {
      readonly account: AccountId
      readonly repository: RepositoryKey
      readonly branch?: string | undefined
      readonly after?: CiRunCursor | undefined
      readonly limit: number
    }) => Effect.Effect<Option.Option<ReadonlyArray<CiRun>>, Unavailable>
    /** The totals of a CI run of a repository. */
    readonly findCiRun: (
      account: AccountId,
      repository: RepositoryKey,
      ciRun: string
    ) => Effect.Effect<Option.Option<CiRun>, Unavailable>
    /**
     * The account's tests whose name, prompt, file, platform and app together contain every word, ASCII letters in either case; those that
     * ran last first, at most `limit`. With `devices`, the name of the device of the last run counts too.
     */
    readonly searchTests: (
      account: AccountId,
      by: { readonly words: ReadonlyArray<string>; readonly devices: boolean },
      limit: number
    ) => Effect.Effect<ReadonlyArray<FoundTest>, Unavailable>
    /** The account's CI runs that fit, those that began last first, at most `limit`. */
    readonly searchCiRuns: (
      account: AccountId,
      by: CiRunSearch,
      limit: number
    ) => Effect.Effect<ReadonlyArray<FoundCiRun>, Unavailable>
    /**
     * Stores the imports and `finishesAt` of a CI run, a CI run that is not stored with all its fields, and `event` (`Outbox`).
     * `Conflict`, and nothing is stored, unless `importsVersion` is one more than that of the stored CI run, which is 0 where it has none.
     */
    readonly saveImports: (ciRun: CiRun, event?: SlipwayEvent) => Effect.Effect<void, Conflict | WriteFailure>
    /** At most `limit` CI runs of any account whose `finishesAt` is `until` or before, the earliest first. */
    readonly unfinished: (query: {
      readonly until: DateTime.Utc
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<FoundCiRun>, Unavailable>
    /**
     * Removes `finishesAt` of a CI run, increases `importsVersion`, and stores `event` with it (`Outbox`). Returns `false` and changes nothing if the stored one has
     * another `finishesAt`, or none. Of concurrent calls, one returns `true`.
     */
    readonly finish: (change: {
      readonly ciRun: Pick<CiRun, "ciRun" | "finishesAt" | "repositoryId">
      readonly event?: SlipwayEvent | undefined
    }) => Effect.Effect<boolean, WriteFailure>
    /** The branches of a repository's newest `ciRunWindow` CI runs, the one with the newest first. */
    readonly branches: (
      account: AccountId,
      repository: RepositoryKey
    ) => Effect.Effect<ReadonlyArray<BranchOfRuns>, Unavailable>
  }
>()("slipway/core/ports/TestHistoryStore") {}
