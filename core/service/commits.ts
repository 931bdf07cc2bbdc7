import { Array as Arr, DateTime, Effect, Option, Schedule } from "effect"
import { QuotaExceeded, Unavailable } from "../model/Problem.ts"
import { Conflict } from "../ports/WriteFailure.ts"
import { repositoryKey, type RepositoryKey } from "../model/Repository.ts"
import type { EventContent } from "../model/SlipwayEvent.ts"
import type { HistoryChange, HistoryWrite, LoadedHistory, QuarantineTimes } from "../model/TestHistory.ts"
import type { TestRun, TestRunId, TestRunView } from "../model/TestRun.ts"
import { QuarantineStore } from "../ports/QuarantineStore.ts"
import { RepositoryStore } from "../ports/RepositoryStore.ts"
import { isRecovery, quarantineEvent, testChanges } from "../rules/events.ts"
import { isInForce } from "../rules/quarantine.ts"
import { TestHistoryStore } from "../ports/TestHistoryStore.ts"
import { defaultBranchOf, historyWith, historyWithout, needsStoredRuns, prepareRun } from "../rules/testHistory.ts"
import { ciRunOf, testIdOf } from "../rules/testRuns.ts"
import type { AccountId } from "../model/Account.ts"
import type { BuildId } from "../model/Build.ts"
import { subjectOf } from "../model/Resource.ts"
import type { ShareId } from "../model/Preview.ts"
import { BuildStore } from "../ports/BuildStore.ts"
import { PreviewStore } from "../ports/PreviewStore.ts"
import { TestRunStore } from "../ports/TestRunStore.ts"
import { buildText, previewText } from "../rules/audit.ts"
import { makeAuditing } from "./auditing.ts"
import { orNotFound } from "./Authorization.ts"
import { makeNewObjectDeletions } from "./ObjectDeletions.ts"

const isConflict = (error: unknown): error is Conflict => error instanceof Conflict

/** The pauses between attempts: from 1 to 100 milliseconds, some six seconds all together. */
const pauses = Schedule.min([Schedule.exponential("1 millis", 1.5), Schedule.spaced("100 millis")]).pipe(
  Schedule.jittered,
  Schedule.upTo({ times: 70 })
)

/**
 * Repeats "load, decide, commit" while the commit fails with `Conflict`. Each conflict means that another commit has succeeded, so
 * there is always progress. The pauses are random, because otherwise all callers would retry at the same moments. After the last
 * pause, a conflict fails with `Unavailable`.
 */
export const retryOnConflict = <A, E, R>(
  attempt: Effect.Effect<A, E | Conflict, R>
): Effect.Effect<A, E | Unavailable, R> =>
  attempt.pipe(
    Effect.retry({ while: isConflict, schedule: pauses }),
    Effect.mapError((error) => (isConflict(error) ? Unavailable.default : error))
  )

/** How many different tests a repository may have, see `docs/history.md`. */
export const testsPerRepository = 10_000

/** How many of a test's newest stored runs are read to fill its history again: a run may have a report of a mebibyte. */
const runsToRefill = { limit: 2000, bytes: 16 * 2 ** 20 }

/** Finds a linked repository of an account and its default branch. */
export const makeDefaultBranch = Effect.gen(function* () {
  const store = yield* TestHistoryStore
  const linked = yield* RepositoryStore
  return Effect.fnUntraced(function* (account: AccountId, key: RepositoryKey) {
    const [repository, branches] = yield* Effect.all(
      [Effect.flatMap(linked.find(account, key), orNotFound), store.branches(account, key)],
      { concurrency: "unbounded" }
    )
    return { repository, branches, branch: defaultBranchOf(repository, branches) }
  })
})

/** What the commit that stores or deletes a run changes in histories. */
export const makeHistories = Effect.gen(function* () {
  const store = yield* TestHistoryStore
  const quarantines = yield* QuarantineStore
  const defaultBranch = yield* makeDefaultBranch

  const load = (run: TestRun) =>
    store.loadForRun({
      repositoryId: run.repositoryId,
      testId: testIdOf(run),
      branch: run.branch,
      ciRun: ciRunOf(run)
    })

  /** Prepared in several turns of the event loop. */
  const stored = Effect.fnUntraced(function* (run: TestRun) {
    const runs = yield* store.storedRuns(testIdOf(run), runsToRefill)
    for (const some of Arr.chunksOf(runs, 100)) {
      yield* Effect.yieldNow
      some.forEach(prepareRun)
    }
    yield* Effect.yieldNow
    return runs
  })

  /** Makes room for a test that is new: the one with a single result that ran longest ago goes. */
  const evicted = Effect.fnUntraced(function* (run: TestRun, { all }: LoadedHistory) {
    if (Option.isSome(all)) return undefined
    const { oldestSingle, tests } = yield* store.room(run.repositoryId, testsPerRepository)
    if (tests < testsPerRepository) return undefined
    if (Option.isSome(oldestSingle)) return oldestSingle.value
    return yield* new QuotaExceeded({
      detail: `This repository has ${testsPerRepository} different tests, the most that are kept. Does a name hold a time or an id? Give each test the same name in every run.`,
      quota: "testsPerRepository",
      used: tests,
      limit: testsPerRepository
    })
  })

  /** That a run on the default branch makes the quarantine of its test needless. */
  const recoveries = Effect.fnUntraced(function* (
    { repository: { owner, repo }, run }: TestRunView,
    write: HistoryWrite,
    quarantine: QuarantineTimes
  ): Effect.fn.Return<ReadonlyArray<EventContent>, Unavailable> {
    if (!isRecovery(write, quarantine)) return []
    const key = repositoryKey(owner, repo)
    const branchOfRepository = yield* Effect.option(defaultBranch(run.accountId, key))
    if (Option.getOrUndefined(branchOfRepository)?.branch !== run.branch) return []
    const view = yield* quarantines.find(run.accountId, testIdOf(run))
    return Option.isSome(view) ? [quarantineEvent("quarantine.recovered", view.value)] : []
  })

  /**
   * The run that is about to be stored, marked where it fails in quarantine, what it changes, and the events of that. `QuotaExceeded` if
   * its test is one too many for the repository.
   */
  const withRun = Effect.fnUntraced(function* ({ repository, run: registered }: TestRunView): Effect.fn.Return<
    {
      readonly run: TestRun
      readonly history: HistoryChange
      readonly events: ReadonlyArray<EventContent>
    },
    QuotaExceeded | Unavailable
  > {
    const loaded = yield* load(registered)
    const evictedTest = yield* evicted(registered, loaded)
    const quarantine = Option.getOrUndefined(
      Option.filter(loaded.quarantine, ({ createdAt, expiresAt }) =>
        isInForce(
          { from: DateTime.toEpochMillis(createdAt), until: DateTime.toEpochMillis(expiresAt) },
          DateTime.toEpochMillis(registered.createdAt)
        )
      )
    )
    const isQuarantined = quarantine !== undefined && registered.status === "failed"
    const run = isQuarantined ? { ...registered, quarantined: true } : registered
    const history = historyWith(run, loaded, needsStoredRuns(loaded, run) ? yield* stored(run) : [])
    const [, write] = history.tests
    const recovered =
      write === undefined || quarantine === undefined ? [] : yield* recoveries({ repository, run }, write, quarantine)
    return {
      run,
      history: { ...history, evicted: evictedTest },
      events: [...testChanges({ repository, run }, write), ...recovered]
    }
  })

  /** The change by a run that is about to be deleted. */
  const withoutRun = Effect.fnUntraced(function* (run: TestRun): Effect.fn.Return<HistoryChange, Unavailable> {
    const loaded = yield* load(run)
    return historyWithout(run, loaded, yield* stored(run))
  })

  return { withRun, withoutRun }
})

/** Deletes a build of an account with its uploads, and answers the removals that were stored with that. */
export const makeCommitBuildDeletion = Effect.gen(function* () {
  const store = yield* BuildStore
  const newRemovals = yield* makeNewObjectDeletions
  const auditing = yield* makeAuditing
  return (account: AccountId, id: BuildId) =>
    retryOnConflict(
      Effect.gen(function* () {
        const { build, reservations } = yield* Effect.flatMap(store.loadForDelete(account, id), orNotFound)
        const removals = yield* newRemovals(reservations)
        yield* auditing(
          {
            action: "build.deleted",
            accountId: account,
            at: yield* DateTime.now,
            subject: subjectOf({ build: id }),
            repositoryId: build.repositoryId,
            detail: buildText(build)
          },
          store.commitDelete({ build, removals })
        )
        return removals
      })
    )
})

/** Deletes a preview of an account, and answers the removals that were stored with that. */
export const makeCommitPreviewDeletion = Effect.gen(function* () {
  const store = yield* PreviewStore
  const newRemovals = yield* makeNewObjectDeletions
  const auditing = yield* makeAuditing
  return (account: AccountId, shareId: ShareId) =>
    retryOnConflict(
      Effect.gen(function* () {
        const preview = yield* Effect.flatMap(store.findByShareId(account, shareId), orNotFound)
        const removals = yield* newRemovals([preview])
        yield* auditing(
          {
            action: "preview.deleted",
            accountId: account,
            at: yield* DateTime.now,
            subject: subjectOf({ preview: shareId }),
            repositoryId: preview.repositoryId,
            detail: previewText(preview.declaration)
          },
          store.commitDelete({ preview, removals })
        )
        return removals
      })
    )
})

/** Deletes a run of an account. */
export const makeCommitRunDeletion = Effect.gen(function* () {
  const store = yield* TestRunStore
  const histories = yield* makeHistories
  const auditing = yield* makeAuditing
  return (account: AccountId, id: TestRunId) =>
    retryOnConflict(
      Effect.gen(function* () {
        const { run } = yield* Effect.flatMap(store.find(account, id), orNotFound)
        const history = yield* histories.withoutRun(run)
        yield* auditing(
          {
            action: "run.deleted",
            accountId: account,
            at: yield* DateTime.now,
            subject: subjectOf({ run: id }),
            repositoryId: run.repositoryId,
            detail: run.name ?? run.prompt
          },
          store.commitDelete(run, history)
        )
      })
    )
})
