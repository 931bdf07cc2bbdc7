import { assert } from "@effect/vitest"
import { Effect, Option, Result } from "effect"
import { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { historyOf } from "../../core/rules/testHistory.ts"
import { testIdOf } from "../../core/rules/testRuns.ts"
import { resultsOf } from "../../core/rules/testResults.ts"
import { walkCase } from "./historyWalk.ts"
import { assertOnce, assertWhole } from "./parts/commitCases.ts"
import type { Tables } from "./parts/commits.ts"
import { changeWith, changeWithout, deleted, plainHistory } from "./parts/histories.ts"
import { found, plainRun } from "./parts/plain.ts"
import { assertConflict, atOnce } from "./parts/racing.ts"
import type { Cases } from "./parts/suite.ts"
import { listed, listedCiRuns, namesOf, newPlace, stateOf, type HistoryPorts } from "./parts/historyPorts.ts"

const historyCommits = {
  "a run with its history": Effect.gen(function* () {
    const [runs, store, home] = [yield* TestRunStore, yield* TestHistoryStore, yield* newPlace]
    const first = yield* home.register({ branch: "main", source: "ci:1" })
    const history = yield* changeWith(home.run({ branch: "main", source: "ci:1" }))
    return () => {
      const run = home.run({ branch: "main", source: "ci:1" })
      const tests = history.tests.map((write) => ({
        ...write,
        next: historyOf(run, { branch: write.branch, version: 2 }, resultsOf([first, run]))
      }))
      const ciRun = history.ciRun && { ...history.ciRun, durationMs: 7 }
      return {
        commit: () => runs.insert({ run, history: { tests, ciRun } }),
        seen: Effect.gen(function* () {
          const { ciRun, histories } = yield* Effect.provideService(stateOf(home, run), TestHistoryStore, store)
          const own = found(({ run }) => plainRun(run), yield* runs.find(home.account.id, run.id))
          return { own, others: { histories, totals: [ciRun?.runs, ciRun?.durationMs] } }
        }),
        expected: {
          own: plainRun(run),
          others: { histories: tests.map(({ next }) => next && plainHistory(next)), totals: [2, 7] }
        }
      }
    }
  })
} satisfies Tables<HistoryPorts>

/** How commits of runs change histories. */
export const historyCommitCases = (it: Cases<HistoryPorts>) => {
  it.effect(
    "a run whose history has another version than expected is refused, and nothing is stored of it",
    function* () {
      const runs = yield* TestRunStore
      const home = yield* newPlace
      const fields = { branch: "main", source: "ci:1" }
      const first = yield* home.register(fields)
      const before = yield* stateOf(home, first)
      const second = home.run(fields)
      const change = yield* changeWith(second)
      for (const expected of [0, 2]) {
        for (const stale of [0, 1]) {
          const tests = change.tests.map((write, at) => (at === stale ? { ...write, expected } : write))
          yield* assertConflict(runs.insert({ run: second, history: { ...change, tests } }))
          assert.deepStrictEqual(yield* stateOf(home, first), before)
        }
      }
      const missing = yield* changeWith(home.run({ name: "New", branch: "main" }))
      const tests = missing.tests.map((write) => ({ ...write, expected: 1 }))
      const other = home.run({ name: "New", branch: "main" })
      yield* assertConflict(runs.insert({ run: other, history: { ...missing, tests } }))
      assert.deepStrictEqual((yield* stateOf(home, other)).histories, [undefined, undefined])
      yield* runs.insert({ run: second, history: change })
      assert.strictEqual((yield* stateOf(home, first)).ciRun?.runs, 2)
    }
  )

  it.effect("a deletion whose history has another version than expected is refused, and changes nothing", function* () {
    const runs = yield* TestRunStore
    const home = yield* newPlace
    const fields = { branch: "main", source: "ci:1" }
    const first = yield* home.register(fields)
    const stale = yield* changeWithout(first)
    yield* home.register(fields)
    const before = yield* stateOf(home, first)
    yield* assertConflict(runs.commitDelete(first, stale))
    assert.deepStrictEqual(yield* stateOf(home, first), before)
    yield* deleted(first)
    assert.strictEqual((yield* stateOf(home, first)).runs.length, 1)
  })

  it.effect("a history is deleted with its last run, and can be stored again", function* () {
    const home = yield* newPlace
    const run = yield* home.register({ branch: "main" })
    yield* deleted(run)
    assert.deepStrictEqual((yield* stateOf(home, run)).histories, [undefined, undefined])
    assert.deepStrictEqual(namesOf(yield* listed(home)), [])
    yield* home.register({ branch: "main" })
    assert.deepStrictEqual(namesOf(yield* listed(home)), ["Pay"])
  })

  it.effect.each(["new to the repository", "known"])(
    "of runs of one test that are stored at the same time, each is in its history once: a test that is %s",
    function* (which) {
      const runs = yield* TestRunStore
      const home = yield* newPlace
      const fields = { branch: "main", source: "ci:1/1" }
      const known = which === "known" ? [yield* home.register(fields)] : []
      const all = Array.from({ length: 8 }, (_, at) => home.run({ ...fields, source: `ci:${at % 3}/1` }))
      let waiting = all
      while (waiting.length > 0) {
        const results = yield* atOnce(
          waiting.map((run) => Effect.flatMap(changeWith(run), (history) => runs.insert({ run, history })))
        )
        const refused = results.map(Result.isFailure)
        assert.include(refused, false, "one of several is stored")
        waiting = waiting.filter((_, at) => refused[at])
      }
      const { histories, runs: stored } = yield* stateOf(home, all[0] ?? home.run())
      assert.strictEqual(stored.length, all.length + known.length)
      for (const [index, branch] of [undefined, "main"].entries()) {
        const run = home.run(fields)
        const expected = historyOf(run, { branch, version: stored.length }, resultsOf([...known, ...all]))
        assert.deepStrictEqual(histories[index], expected && plainHistory(expected))
      }
      const totals = Option.getOrThrow(yield* listedCiRuns(home))
      assert.strictEqual(
        totals.reduce((sum, ciRun) => sum + ciRun.runs, 0),
        stored.length
      )
    }
  )

  assertWhole(it, historyCommits)
  assertOnce(it, historyCommits)

  it.effect("an evicted test is on no branch, and others are as before", function* () {
    const runs = yield* TestRunStore
    const home = yield* newPlace
    const evicted = yield* home.register({ name: "old", branch: "main" })
    const kept = yield* home.register({ name: "kept", branch: "main" })
    const run = home.run({ name: "new", branch: "main" })
    yield* runs.insert({ run, history: { ...(yield* changeWith(run)), evicted: testIdOf(evicted) } })
    assert.deepStrictEqual((yield* stateOf(home, evicted)).histories, [undefined, undefined])
    assert.deepStrictEqual(namesOf(yield* listed(home)), ["new", "kept"])
    assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { branch: "main" } })), ["new", "kept"])
    assert.strictEqual((yield* stateOf(home, kept)).runs.length, 1)
    assert.strictEqual((yield* stateOf(home, evicted)).runs.length, 1, "its runs stay")
  })

  walkCase(it, 3)
}
