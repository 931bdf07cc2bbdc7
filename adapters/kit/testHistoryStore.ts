import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { TestId, type ImportAnnouncement } from "../../core/model/TestHistory.ts"
import type { TestRun } from "../../core/model/TestRun.ts"
import { Conflict } from "../../core/ports/WriteFailure.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { historyOf } from "../../core/rules/testHistory.ts"
import { ciRunOf, ciRunOfSource, testIdOf } from "../../core/rules/testRuns.ts"
import { resultsOf } from "../../core/rules/testResults.ts"
import { keyOf, type Home } from "./parts/buildPorts.ts"
import { deleted, plainCiRun, plainHistory, registered } from "./parts/histories.ts"
import { found, plainRun } from "./parts/plain.ts"
import { instant, makeRepository, makeRun } from "./parts/samples.ts"
import { assertFirst } from "./parts/lists.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"
import { listed, listedCiRuns, namesOf, newPlace, unlink, type HistoryPorts } from "./parts/historyPorts.ts"
import { historyListCases } from "./historyLists.ts"
import { historyCommitCases } from "./historyCommits.ts"

export const testHistoryStoreCases = (it: Cases<HistoryPorts>) => {
  historyListCases(it)
  historyCommitCases(it)

  it.effect("a history comes back with every field unchanged, of its branch and of all", function* () {
    const store = yield* TestHistoryStore
    const { account, register, repository, run } = yield* newPlace
    const device = { name: "Pixel 9 \u{1F680}", platform: "android", osVersion: "16" }
    const fields = {
      name: "Zahlen \u{1F680} 'x' \\n",
      file: "flows/ä.yaml",
      branch: "feature/ß",
      device,
      durationMs: 7
    }
    const commitSha = "a".repeat(40)
    const first = yield* register({ ...fields, commitSha, status: "failed", failureMessage: "No “button”\nat 7" })
    const second = yield* register({ ...fields, commitSha, durationMs: 2 ** 31 - 1 })
    const { name: _, ...unnamed } = run({ prompt: "Buy a\nshoe" })
    const prompted = yield* registered(unnamed)
    for (const branch of [undefined, fields.branch]) {
      const view = Option.getOrThrow(yield* store.find(account.id, testIdOf(first), branch))
      const expected = historyOf(first, { branch, version: 2 }, resultsOf([first, second]))
      assert.deepStrictEqual(plainHistory(view.test), expected && plainHistory(expected))
      assert.deepStrictEqual([view.repository.owner, view.repository.repo], [repository.owner, repository.repo])
      assert.isDefined(view.test.lastFlakyAt)
    }
    const alone = Option.getOrThrow(yield* store.find(account.id, testIdOf(prompted), undefined)).test
    assert.deepStrictEqual([alone.name, alone.prompt], [undefined, "Buy a\nshoe"])
    assert.isTrue(Option.isNone(yield* store.find(account.id, testIdOf(prompted), "main")))
  })

  it.effect("a run is loaded with the histories of its test and its CI run", function* () {
    const store = yield* TestHistoryStore
    const { register, repository, run } = yield* newPlace
    yield* register({ branch: "main", source: "ci:1/1" })
    yield* register({ branch: "other", source: "ci:2/1" })
    const load = (of: TestRun) =>
      Effect.map(
        store.loadForRun({
          repositoryId: repository.id,
          testId: testIdOf(of),
          branch: of.branch,
          ciRun: ciRunOf(of)
        }),
        ({ all, branch, ciRun }) => [
          found(({ results }) => results.length, all),
          found(({ results }) => results.length, branch),
          Option.isSome(ciRun)
        ]
      )
    assert.deepStrictEqual(yield* load(run({ branch: "main", source: "ci:1/2" })), [2, 1, true])
    assert.deepStrictEqual(yield* load(run({ branch: "new", source: "ci:3/1" })), [2, undefined, false])
    assert.deepStrictEqual(yield* load(run({})), [2, undefined, false])
    assert.deepStrictEqual(yield* load(run({ name: "Other" })), [undefined, undefined, false])
  })

  it.effect("findEach: the histories of many tests on a branch, without those that don't exist", function* () {
    const store = yield* TestHistoryStore
    const home = yield* newPlace
    const names = Array.from({ length: 103 }, (_, at) => `test ${at}`)
    const runs = names.map((name, at) => home.run({ name, branch: at % 2 === 0 ? "main" : "other" }))
    yield* Effect.forEach(runs, registered, { concurrency: 8 })
    const ids = [...runs.map(testIdOf), TestId.make("0".repeat(32))]
    const idsOn = (branch: string | undefined, of: ReadonlyArray<TestId> = ids) =>
      Effect.map(store.findEach(home.account.id, of, branch), (histories) => histories.map(({ testId }) => testId))
    const even = runs.filter((_, at) => at % 2 === 0).map(testIdOf)
    assert.sameMembers(yield* idsOn("main"), even)
    assert.sameMembers(yield* idsOn(undefined), runs.map(testIdOf))
    assert.deepStrictEqual(yield* idsOn("nothing"), [])
    assert.deepStrictEqual(yield* idsOn(undefined, []), [])
  })

  it.effect("branchesOf: the branches of a test, the one that it ran on last first", function* () {
    const store = yield* TestHistoryStore
    const home = yield* newPlace
    for (const branch of ["first", "second", "third", "first"]) yield* home.register({ branch })
    yield* home.register({ name: "Other", branch: "other" })
    const run = yield* home.register()
    yield* assertFirst(["first", "third", "second"], (limit) => store.branchesOf(home.account.id, testIdOf(run), limit))
  })

  it.effect("the totals of a CI run are those of all its runs, whichever comes first or is deleted", function* () {
    const store = yield* TestHistoryStore
    const home = yield* newPlace
    const [branch, source, commitSha] = ["main", "ci:7/1", "b".repeat(40)]
    const details = { commitMessage: "Pay\n\nby card", author: "Zoë", base: "next" }
    const find = Effect.map(store.findCiRun(home.account.id, keyOf(home.repository), ciRunOfSource(source)), (one) =>
      found(plainCiRun, one)
    )
    const first = yield* home.register({
      name: "A",
      source,
      branch,
      commitSha,
      pr: 3,
      ...details,
      job: "e2e",
      durationMs: 10,
      status: "failed"
    })
    const late = yield* home.register({ name: "B", source, branch, durationMs: 2 ** 31 - 1, startedAt: instant(5) })
    const again = yield* home.register({
      name: "A",
      source: "ci:7/2",
      branch: "other",
      author: "other",
      job: "e2e",
      durationMs: 2 ** 31 - 1
    })
    const [repositoryId, accountId] = [home.repository.id, home.account.id]
    const ofFirst = { ciRun: ciRunOfSource(source), branch, commitSha, pr: 3, ...details }
    const kept = { repositoryId, accountId, source: "ci:7/2", ...ofFirst }
    const startedAt = DateTime.formatIso(instant(5))
    const totals = { passed: 1, failed: 0, flaky: 1, runs: 3, durationMs: 10 + 2 * (2 ** 31 - 1) }
    assert.deepStrictEqual(yield* find, { ...kept, startedAt, ...totals })
    yield* deleted(again)
    const before = { passed: 1, failed: 1, flaky: 0, runs: 2, durationMs: 10 + 2 ** 31 - 1 }
    assert.deepStrictEqual(yield* find, { ...kept, startedAt, ...before })
    yield* deleted(late)
    yield* deleted(first)
    assert.isUndefined(yield* find, "a CI run is deleted with its last run")
    assert.deepStrictEqual(Option.getOrThrow(yield* listedCiRuns(home)), [])
  })

  it.effect(
    "the imports of a CI run are stored with it, before its first run, and under the version that was read",
    function* () {
      const store = yield* TestHistoryStore
      const home = yield* newPlace
      const source = "ci:7/1"
      const open = {
        id: "maestro \u{1F680}",
        attempt: "1",
        job: "e2e 'x'",
        app: "shop",
        expectedRuns: 13,
        expectedImports: 2,
        openedAt: 7000
      }
      const plain = {
        repositoryId: home.repository.id,
        accountId: home.account.id,
        ciRun: ciRunOfSource(source),
        source,
        branch: "main",
        author: "Zoë",
        startedAt: DateTime.formatIso(instant(9e6)),
        passed: 0,
        failed: 0,
        flaky: 0,
        runs: 0,
        durationMs: 0
      }
      const saved = (imports: ReadonlyArray<ImportAnnouncement>, importsVersion: number) =>
        store.saveImports({
          ...plain,
          startedAt: instant(9e6),
          imports,
          importsVersion
        })
      const find = Effect.map(store.findCiRun(home.account.id, keyOf(home.repository), ciRunOfSource(source)), (one) =>
        found(plainCiRun, one)
      )
      const ids = Effect.map(listedCiRuns(home), (list) => Option.getOrThrow(list).map(({ ciRun }) => ciRun))
      yield* saved([open], 1)
      assert.deepStrictEqual(yield* find, { ...plain, imports: [open], importsVersion: 1 })
      assert.deepStrictEqual(yield* ids, [plain.ciRun])
      for (const version of [1, 3]) assert.instanceOf(yield* Effect.flip(saved([], version)), Conflict)

      const run = yield* home.register({ source: "ci:7/2", branch: "other", commitSha: "b".repeat(40), durationMs: 5 })
      const first = { branch: "other", commitSha: "b".repeat(40), startedAt: DateTime.formatIso(run.createdAt) }
      const totals = { passed: 1, runs: 1, durationMs: 5 }
      const registered = { ...plain, ...first, ...totals, source: "ci:7/2" }
      assert.deepStrictEqual(yield* find, { ...registered, imports: [open], importsVersion: 1 })
      yield* deleted(run)
      const emptied = { ...registered, passed: 0, runs: 0, durationMs: 0 }
      assert.deepStrictEqual(yield* find, { ...emptied, imports: [open], importsVersion: 1 })

      const again = yield* home.register({ source })
      const closed = { ...open, registeredRuns: 13, expectedImports: 1 }
      yield* saved([closed], 2)
      assert.deepStrictEqual((yield* find)?.imports, [closed])
      yield* deleted(again)
      assert.isUndefined(yield* find, "nothing is missing, so it is deleted with its last run")
      yield* saved([closed], 3)
      assert.strictEqual((yield* find)?.importsVersion, 3)
    }
  )

  it.effect("storedRuns: the runs of a test, registered last first, whole and within the limits", function* () {
    const store = yield* TestHistoryStore
    const home = yield* newPlace
    const attempts = [{ status: "failed" }, { status: "passed" }] as const
    const fields = { source: "ci:1/1", tags: ["a"], attempts, metadataBytes: 1000 } as const
    const runs: Array<TestRun> = []
    for (const at of [2, 3, 1]) {
      const tied = { id: makeRun(home.repository, home.preview, {}).id, createdAt: instant(at) }
      runs.push(yield* registered(home.run({ ...fields, ...tied })))
    }
    yield* home.register({ file: "other.yaml" })
    const [second, third, first] = runs
    if (first === undefined || second === undefined || third === undefined) return assert.fail("three were made")
    const stored = (limit: number, bytes = 3000) =>
      Effect.map(store.storedRuns(testIdOf(first), { limit, bytes }), (all) => all.map(plainRun))
    const newest = [third, second, first].map(plainRun)
    yield* assertFirst(newest, stored)
    assert.deepStrictEqual(yield* stored(10, 1999), newest.slice(0, 2))
    assert.deepStrictEqual(yield* stored(10, 0), newest.slice(0, 1))
  })

  it.effect(
    "room: the tests of a repository, counted up to a limit, and at the limit the oldest with a single result",
    function* () {
      const store = yield* TestHistoryStore
      const home = yield* newPlace
      const room = (limit: number) =>
        Effect.map(store.room(home.repository.id, limit), ({ oldestSingle, tests }) => [
          tests,
          Option.getOrUndefined(oldestSingle)
        ])
      assert.deepStrictEqual(yield* room(10), [0, undefined])
      yield* home.register({ name: "twice", branch: "main", source: "ci:1" })
      yield* home.register({ name: "twice", branch: "other", source: "ci:2" })
      assert.deepStrictEqual(yield* room(1), [1, undefined])
      const oldest = yield* home.register({ name: "once", branch: "main" })
      yield* home.register({ name: "later" })
      assert.deepStrictEqual(yield* room(4), [3, undefined])
      assert.deepStrictEqual(yield* room(3), [3, testIdOf(oldest)])
      assert.deepStrictEqual(yield* room(2), [2, testIdOf(oldest)])
      assert.deepStrictEqual(yield* store.room(makeRepository(home.account).id, 10), {
        tests: 0,
        oldestSingle: Option.none()
      })
    }
  )

  it.effect("nothing is read of another account's repository, nor of one that isn't linked", function* () {
    const store = yield* TestHistoryStore
    const [home, stranger] = [yield* newPlace, yield* newPlace]
    const run = yield* home.register({ branch: "main", source: "ci:1", durationMs: 1 })
    const key = keyOf(home.repository)
    const assertNothing = Effect.fnUntraced(function* ({ account }: Home) {
      const query = { account: account.id, repository: key, limit: 10 }
      for (const by of ["newest", "slowest"] as const) {
        assert.isTrue(Option.isNone(yield* store.list({ ...query, filter: {}, order: { by } })))
      }
      assert.isTrue(Option.isNone(yield* store.ciRuns(query)))
      assert.isTrue(Option.isNone(yield* store.findCiRun(account.id, key, ciRunOf(run))))
      assert.deepStrictEqual(yield* store.branches(account.id, key), [])
      assert.isTrue(Option.isNone(yield* store.find(account.id, testIdOf(run), undefined)))
      assert.deepStrictEqual(yield* store.findEach(account.id, [testIdOf(run)], "main"), [])
      assert.deepStrictEqual(yield* store.branchesOf(account.id, testIdOf(run), 10), [])
    })
    yield* assertNothing(stranger)
    assert.deepStrictEqual(namesOf(yield* listed(stranger)), [])
    yield* unlink(home)
    yield* assertNothing(home)
    yield* RepositoryStore.use((repositories) => repositories.link(home.repository))
    assert.deepStrictEqual(namesOf(yield* listed(home)), ["Pay"])
  })
}

export const testHistoryStoreSuite = suiteOf("TestHistoryStore", testHistoryStoreCases)
