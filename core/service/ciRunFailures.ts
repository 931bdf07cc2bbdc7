import { Array as Arr, DateTime, Effect } from "effect"
import type { Reader } from "../model/Principal.ts"
import type { NotFound, Unavailable } from "../model/Problem.ts"
import type { CiRun, CiRunTotals } from "../model/TestHistory.ts"
import { TestHistoryStore } from "../ports/TestHistoryStore.ts"
import { importsOf, type ImportsState } from "../rules/imports.ts"
import { testIdOf } from "../rules/testIdentity.ts"
import { isBrokenBefore, isFlakyTest, totalsOf } from "../rules/testResults.ts"
import { inSpan } from "./inSpan.ts"
import { TestRuns, type Attempts } from "./TestRuns.ts"

/** The tests of a CI run whose last attempt failed or that are flaky, compared with a base branch. */
export interface CiRunFailures {
  readonly ciRun: CiRun
  /** The only app whose tests count; those of all apps if it is `undefined`. */
  readonly app: string | undefined
  /** Those of the CI run, or of its runs of `app` that were read. */
  readonly totals: CiRunTotals
  /** The branch compared with; `undefined` when there is none. */
  readonly base: string | undefined
  /** Failed here and not on the base branch. */
  readonly new: ReadonlyArray<Attempts>
  /** Failed here, and the last result on the base branch is failed too. */
  readonly known: ReadonlyArray<Attempts>
  /** Passed here, and not only. */
  readonly flaky: ReadonlyArray<Attempts>
  /** False when the CI run has or had more runs than were read: more may have failed. */
  readonly isWhole: boolean
  /** Whether all imports of the CI run have ended; `undefined` where none was announced. */
  readonly imports: ImportsState | undefined
}

/** CI runs of a repository whose new failures are counted, newest first. */
export interface NewFailuresQuery {
  readonly owner: string
  readonly repo: string
  readonly ciRuns: ReadonlyArray<CiRun>
  readonly defaultBranch: string | undefined
}

const historiesAtOnce = 50
/** How many runs and failures of CI runs are read to count new failures in a list. */
const mostCompared = { runs: 1000, failed: 100 }

/** Compares the failures of CI runs with those of a base branch. */
export const makeCiRunFailures = Effect.gen(function* () {
  const store = yield* TestHistoryStore
  const testRuns = yield* TestRuns

  /** Compares a CI run. Its totals were read before its runs, and may thus count fewer, but none that isn't read. */
  const compare = Effect.fnUntraced(function* (
    reader: Reader,
    { owner, repo }: Pick<NewFailuresQuery, "owner" | "repo">,
    {
      app,
      base,
      ciRun,
      source
    }: {
      readonly ciRun: CiRun
      readonly source: string
      readonly base: string | undefined
      readonly app?: string | undefined
    }
  ): Effect.fn.Return<CiRunFailures, NotFound | Unavailable> {
    const found = yield* testRuns.ciRun(reader, { owner, repo, source })
    const tests = app === undefined ? found.tests : found.tests.filter(([{ run }]) => run.app === app)
    const failed = tests.filter(([{ run }]) => run.status === "failed")
    const idOf = ([{ run }]: Attempts) => testIdOf(run)
    // Histories are large, so only some are in memory together.
    const onBase = yield* Effect.forEach(
      base === undefined ? [] : Arr.chunksOf(new Set(failed.map(idOf)), historiesAtOnce),
      (some) =>
        Effect.map(store.findEach(reader.account.id, some, base), (histories) =>
          histories.filter(({ results }) => isBrokenBefore(results, ciRun.ciRun)).map(({ testId }) => testId)
        )
    )
    const broken = new Set(onBase.flat())
    const { durationMs, failed: failedTests, flaky, passed, runs } = ciRun
    return {
      ciRun,
      app,
      totals:
        app === undefined
          ? { passed, failed: failedTests, flaky, runs, durationMs }
          : totalsOf(tests.flat().map(({ run }) => run)),
      base,
      new: failed.filter((test) => !broken.has(idOf(test))),
      known: failed.filter((test) => broken.has(idOf(test))),
      flaky: tests.filter((test) => isFlakyTest(test.map(({ run }) => run))),
      // Expired runs are counted still, and nobody knows how their tests ended.
      isWhole: found.isWhole && found.tests.flat().length >= ciRun.runs,
      imports: importsOf(ciRun.imports, DateTime.toEpochMillis(yield* DateTime.now), app)
    }
  })

  const countNew = Effect.fnUntraced(function* (
    reader: Reader,
    { ciRuns, defaultBranch, owner, repo }: NewFailuresQuery
  ) {
    let [runs, failed] = [0, 0]
    const within: Array<{
      readonly ciRun: CiRun
      readonly source: string
      readonly base: string | undefined
    }> = []
    for (const ciRun of ciRuns) {
      if (ciRun.failed === 0 || ciRun.source === undefined) continue
      runs += ciRun.runs
      failed += ciRun.failed
      if (runs > mostCompared.runs || failed > mostCompared.failed) break
      within.push({ ciRun, source: ciRun.source, base: ciRun.base ?? defaultBranch })
    }
    const all = yield* Effect.forEach(within, (one) => compare(reader, { owner, repo }, one))
    return new Map(
      all.flatMap((one) =>
        one.isWhole ? [[one.ciRun.ciRun, new Set(one.new.map(([{ run }]) => testIdOf(run))).size]] : []
      )
    )
  }, inSpan("TestHistories.newFailures"))

  return { compare, countNew }
})
