import type { HistoryChange, LoadedHistory } from "../model/TestHistory.ts"
import { Array as Arr, Effect, Option } from "effect"
import { QuotaExceeded, type Unavailable } from "../model/Problem.ts"
import type { TestRun } from "../model/TestRun.ts"
import { TestHistoryStore } from "../ports/TestHistoryStore.ts"
import { historyWith, historyWithout, needsStoredRuns, prepareRun } from "../rules/testHistory.ts"
import { ciRunOf, testIdOf } from "../rules/testIdentity.ts"

/** How many different tests a repository may have, see `docs/history.md`. */
export const testsPerRepository = 10_000

/** How many of a test's newest stored runs are read to fill its history again: a run may have a report of a mebibyte. */
const runsToRefill = { limit: 2000, bytes: 16 * 2 ** 20 }

/** What the commit that stores or deletes a run changes in histories. */
export const makeHistories = Effect.gen(function* () {
  const store = yield* TestHistoryStore

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

  /** The change by a run that is about to be stored. `QuotaExceeded` if its test is one too many for the repository. */
  const withRun = Effect.fnUntraced(function* (
    run: TestRun
  ): Effect.fn.Return<HistoryChange, QuotaExceeded | Unavailable> {
    const loaded = yield* load(run)
    const room = yield* evicted(run, loaded)
    return { ...historyWith(run, loaded, needsStoredRuns(loaded, run) ? yield* stored(run) : []), evicted: room }
  })

  /** The change by a run that is about to be deleted. */
  const withoutRun = Effect.fnUntraced(function* (run: TestRun): Effect.fn.Return<HistoryChange, Unavailable> {
    const loaded = yield* load(run)
    return historyWithout(run, loaded, yield* stored(run))
  })

  return { withRun, withoutRun }
})
