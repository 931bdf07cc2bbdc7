/** Stores and deletes runs with the histories that the rules make. */
import { Effect } from "effect"
import { CiRun, TestHistory } from "../../../core/model/TestHistory.ts"
import type { TestRun } from "../../../core/model/TestRun.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { historyWith, historyWithout, needsStoredRuns } from "../../../core/rules/testHistory.ts"
import { ciRunOf, testIdOf } from "../../../core/rules/testRuns.ts"
import { plainOf } from "./plain.ts"

export const plainHistory = plainOf(TestHistory)
export const plainCiRun = plainOf(CiRun)

/** What a commit of a run reads of histories. */
export const loadFor = (run: TestRun) =>
  TestHistoryStore.use((store) =>
    store.loadForRun({
      repositoryId: run.repositoryId,
      testId: testIdOf(run),
      branch: run.branch,
      ciRun: ciRunOf(run)
    })
  )

const storedOf = (run: TestRun) =>
  TestHistoryStore.use((store) => store.storedRuns(testIdOf(run), { limit: 2000, bytes: 16 * 2 ** 20 }))

/** What a run that is about to be stored changes. */
export const changeWith = Effect.fnUntraced(function* (run: TestRun) {
  const loaded = yield* loadFor(run)
  return historyWith(run, loaded, needsStoredRuns(loaded, run) ? yield* storedOf(run) : [])
})

/** What a run that is about to be deleted changes. */
export const changeWithout = Effect.fnUntraced(function* (run: TestRun) {
  return historyWithout(run, yield* loadFor(run), yield* storedOf(run))
})

/** Stores a run with its history. */
export const registered = Effect.fnUntraced(function* (run: TestRun) {
  yield* (yield* TestRunStore).insert({ run, history: yield* changeWith(run) })
  return run
})

/** Deletes a run with its history. */
export const deleted = Effect.fnUntraced(function* (run: TestRun) {
  yield* (yield* TestRunStore).commitDelete(run, yield* changeWithout(run))
})
