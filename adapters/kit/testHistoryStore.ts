import { assert } from "@effect/vitest"
import { DateTime, Effect, Option, Result } from "effect"
import { type ImportAnnouncement, type ListedTest, TestId } from "../../core/model/TestHistory.ts"
import type { TestRun } from "../../core/model/TestRun.ts"
import type { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { type CiRunSearch, type TestFilter, TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import type { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { Conflict } from "../../core/ports/WriteFailure.ts"
import { historyOf } from "../../core/rules/testHistory.ts"
import { resultsOf } from "../../core/rules/testResults.ts"
import { ciRunOf, ciRunOfSource, testIdOf } from "../../core/rules/testRuns.ts"
import { walkCase } from "./historyWalk.ts"
import { type BuildPorts, type Home, keyOf, newHome } from "./parts/stored.ts"
import { assertConflict, assertOnce, assertWhole, concurrently, type Tables } from "./parts/commits.ts"
import {
  changeWith,
  changeWithout,
  deleted,
  instant,
  makePreview,
  makeRepository,
  makeRun,
  registered
} from "./parts/samples.ts"
import { assertFirst, assertPages, found, plainRun, plainCiRun, plainHistory } from "./parts/plain.ts"
import type { Cases } from "./parts/suite.ts"

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
    const totals = { passed: 1, failed: 0, flaky: 1, quarantined: 0, runs: 3, durationMs: 10 + 2 * (2 ** 31 - 1) }
    assert.deepStrictEqual(yield* find, { ...kept, startedAt, ...totals })
    yield* deleted(again)
    const before = { passed: 1, failed: 1, flaky: 0, quarantined: 0, runs: 2, durationMs: 10 + 2 ** 31 - 1 }
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
        quarantined: 0,
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

// Runs of a repository, and what is stored of their histories.

/** What the cases need beside a `TestHistoryStore`: runs change histories. */
type HistoryPorts = BuildPorts | ErasureStore | PreviewStore | QuarantineStore | TestHistoryStore | TestRunStore

const newPlace = Effect.gen(function* () {
  const home = yield* newHome
  const preview = makePreview(home.account)
  yield* (yield* PreviewStore).commitReserve({ preview })
  let count = 0
  /** A run of a test, each later than the ones before. */
  const run = (fields: Partial<TestRun> = {}): TestRun => {
    count += 1
    return makeRun(home.repository, preview, { name: "Pay", createdAt: instant(count * 1000), ...fields })
  }
  return { ...home, preview, run, register: (fields?: Partial<TestRun>) => registered(run(fields)) }
})

export const unlink = ({ account, repository }: Home) =>
  RepositoryStore.use((store) => store.unlink(account.id, keyOf(repository)))

export const listed = (
  { account, repository }: Home,
  query: Partial<Parameters<TestHistoryStore["Service"]["list"]>[0]> = {}
) =>
  TestHistoryStore.use((store) =>
    store.list({
      account: account.id,
      repository: keyOf(repository),
      filter: {},
      order: { by: "newest" },
      limit: 100,
      ...query
    })
  )

export const namesOf = (tests: Option.Option<ReadonlyArray<ListedTest>>) =>
  Option.getOrThrow(tests).map(({ name }) => name)

const listedCiRuns = (
  { account, repository }: Home,
  query: Partial<Parameters<TestHistoryStore["Service"]["ciRuns"]>[0]> = {}
) =>
  TestHistoryStore.use((store) =>
    store.ciRuns({ account: account.id, repository: keyOf(repository), limit: 100, ...query })
  )

/** All that is stored of a test and a CI run, to compare. */
export const stateOf = Effect.fnUntraced(function* ({ account, repository }: Home, run: TestRun) {
  const store = yield* TestHistoryStore
  const histories = yield* Effect.forEach([undefined, run.branch], (branch) =>
    store.find(account.id, testIdOf(run), branch)
  )
  return {
    histories: histories.map((one) =>
      found(
        plainHistory,
        Option.map(one, ({ test }) => test)
      )
    ),
    ciRun: found(plainCiRun, yield* store.findCiRun(account.id, keyOf(repository), ciRunOf(run))),
    runs: (yield* store.storedRuns(testIdOf(run), { limit: 100, bytes: 2 ** 20 })).map(plainRun)
  }
})

/** The lists of tests and CI runs, and the search of them. */
const historyListCases = (it: Cases<HistoryPorts>) => {
  it.effect("a list: by the last start, then by id, within the limit, continued after any test of it", function* () {
    const home = yield* newPlace
    const startedAt = instant(500)
    for (const name of ["A", "B", "C", "D"]) yield* home.register({ name, ...(name < "C" ? {} : { startedAt }) })
    const all = Option.getOrThrow(yield* listed(home))
    const tied = all.filter(({ name }) => name === "C" || name === "D").map(({ testId }) => testId)
    assert.deepStrictEqual(namesOf(Option.some(all.slice(0, 2))), ["B", "A"])
    assert.deepStrictEqual(tied, tied.toSorted().toReversed())
    assert.isTrue(
      all.every((test) => !("results" in test)),
      "a list has no results"
    )
    yield* assertPages(all, (limit, after) =>
      Effect.map(listed(home, { order: { by: "newest", after }, limit }), Option.getOrThrow)
    )
  })

  it.effect("the slowest first, without tests that have no duration, within the limit", function* () {
    const home = yield* newPlace
    for (const [name, durationMs] of [
      ["quick", 1],
      ["slow", 3],
      ["middle", 2]
    ] as const) {
      yield* home.register({ name, durationMs, status: name === "slow" ? "failed" : "passed" })
    }
    yield* home.register({ name: "untimed" })
    const slowest = { order: { by: "slowest" } } as const
    yield* assertFirst(["slow", "middle", "quick"], (limit) => Effect.map(listed(home, { ...slowest, limit }), namesOf))
    assert.deepStrictEqual(namesOf(yield* listed(home, { ...slowest, filter: { status: "passed" } })), [
      "middle",
      "quick"
    ])
  })

  it.effect("a list of one branch counts the results of that branch alone; names differ by every byte", function* () {
    const home = yield* newPlace
    yield* home.register({ name: "Pay", branch: "main", status: "failed" })
    yield* home.register({ name: "Pay", branch: "Main" })
    yield* home.register({ name: "pay", branch: "main" })
    yield* home.register({ name: "Pay " })
    assert.deepStrictEqual(namesOf(yield* listed(home)), ["Pay ", "pay", "Pay"])
    assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { branch: "main" } })), ["pay", "Pay"])
    assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { branch: "Main" } })), ["Pay"])
    assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { branch: "mai" } })), [])
    assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { branch: "main", status: "failed" } })), ["Pay"])
    assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { branch: "Main", status: "failed" } })), [])
    assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { status: "failed" } })), [])
    assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { status: "passed" }, limit: 2 })), ["Pay ", "pay"])
  })

  it.effect("a list of flaky tests: with a flaky result that began at that very instant or later", function* () {
    const home = yield* newPlace
    const attempts = [{ status: "failed" }, { status: "passed" }] as const
    const flaky = yield* home.register({ name: "flaky", attempts })
    yield* home.register({ name: "sound" })
    yield* home.register({ name: "flaky" })
    const since = (at: DateTime.Utc) => Effect.map(listed(home, { filter: { flakySince: at } }), namesOf)
    assert.deepStrictEqual(yield* since(flaky.createdAt), ["flaky"])
    assert.deepStrictEqual(yield* since(DateTime.makeUnsafe(0)), ["flaky"])
    assert.deepStrictEqual(yield* since(DateTime.add(flaky.createdAt, { milliseconds: 1 })), [])
  })

  it.effect(
    "a list by a text or an app: a text in a name, prompt, file, platform or app, ASCII letters in either case",
    function* () {
      const home = yield* newPlace
      yield* home.register({ name: "Pay by CARD", file: "flows/a.yaml" })
      yield* home.register({ name: "Ärger_100%", device: { platform: "android" } })
      const { name: _, ...prompted } = home.run({ prompt: "Buy a card" })
      yield* registered(prompted)
      yield* home.register({ name: "Map", branch: "main", status: "failed" })
      const by = (text: string, more: Partial<TestFilter> = {}) =>
        Effect.map(listed(home, { filter: { words: text.split(" "), ...more } }), (tests) =>
          Option.getOrThrow(tests).map(({ name, prompt }) => name ?? prompt)
        )
      assert.deepStrictEqual(yield* by("card"), ["Buy a card", "Pay by CARD"])
      assert.deepStrictEqual(yield* by("FLOWS/"), ["Pay by CARD"])
      assert.deepStrictEqual(yield* by("card flows/ pay"), ["Pay by CARD"])
      assert.deepStrictEqual(yield* by("Android"), ["Ärger_100%"])
      assert.deepStrictEqual(yield* by("r_1"), ["Ärger_100%"])
      assert.deepStrictEqual(yield* by("%"), ["Ärger_100%"])
      assert.deepStrictEqual(yield* by("ärger"), [], "other letters than those of ASCII have one case")
      assert.deepStrictEqual(yield* by("a", { status: "failed" }), ["Map"])
      assert.deepStrictEqual(yield* by("card", { branch: "main" }), [])
      assert.deepStrictEqual(yield* by("maestro"), [])
      yield* home.register({ name: "Pay by CARD", file: "flows/a.yaml", app: "Rider/App" })
      assert.deepStrictEqual(yield* by("rider/"), ["Pay by CARD"])
      assert.deepStrictEqual(yield* by("card", { app: "Rider/App" }), ["Pay by CARD"])
      assert.deepStrictEqual(yield* by("card"), ["Pay by CARD", "Buy a card", "Pay by CARD"])
      assert.deepStrictEqual(yield* by("card", { app: "rider/app" }), [])
    }
  )

  it.effect("a list by a tag or a device: those of the last run of each test, while it is stored", function* () {
    const home = yield* newPlace
    const device = { name: "Pixel 9", platform: "android" }
    yield* home.register({ name: "A", tags: ["smoke", "pay"], device })
    yield* home.register({ name: "B", tags: ["smoke%"], device: { platform: "android" } })
    yield* home.register({ name: "C", tags: ["smoke"], device: { platform: "android" }, branch: "main" })
    const last = yield* home.register({ name: "C", tags: [], device, branch: "main" })
    yield* home.register({ name: "D" })
    const by = (filter: TestFilter) => Effect.map(listed(home, { filter }), namesOf)
    assert.deepStrictEqual(yield* by({ tag: "smoke" }), ["A"])
    assert.deepStrictEqual(yield* by({ tag: "smoke%" }), ["B"])
    assert.deepStrictEqual(yield* by({ tag: "Smoke" }), [])
    assert.deepStrictEqual(yield* by({ device: "Pixel 9" }), ["C", "A"])
    assert.deepStrictEqual(yield* by({ device: "Pixel 9", tag: "pay" }), ["A"])
    assert.deepStrictEqual(yield* by({ device: "Pixel 9", branch: "main" }), ["C"])
    yield* deleted(last)
    assert.deepStrictEqual(yield* by({ tag: "smoke" }), ["C", "A"])
  })

  it.effect("CI runs: by their start, then by key, of one branch or all, continued after any of them", function* () {
    const home = yield* newPlace
    const startedAt = instant(1)
    for (const [source, fields] of [
      ["ci:1", { branch: "main", startedAt }],
      ["ci:2", { branch: "main", startedAt }],
      ["ci:3", { branch: "other" }],
      ["ci:4", {}],
      ["ci:5", { branch: "main" }]
    ] as const) {
      yield* home.register({ source, ...fields })
    }
    // A run alone is no CI run.
    yield* home.register({ branch: "main" })
    const all = Option.getOrThrow(yield* listedCiRuns(home))
    assert.deepStrictEqual(
      all.slice(0, 3).map(({ source }) => source),
      ["ci:5", "ci:4", "ci:3"]
    )
    const keys = all.map(({ ciRun }) => ciRun)
    assert.deepStrictEqual(keys.slice(3), ["ci:1", "ci:2"].map(ciRunOfSource).toSorted().toReversed())
    yield* assertPages(all, (limit, after) =>
      Effect.map(listedCiRuns(home, { limit, ...(after === undefined ? {} : { after }) }), Option.getOrThrow)
    )
    const ofBranch = Option.getOrThrow(yield* listedCiRuns(home, { branch: "main", limit: 2 }))
    assert.deepStrictEqual(ofBranch.map(({ source }) => source)[0], "ci:5")
    assert.deepStrictEqual(
      ofBranch.map(({ branch }) => branch),
      ["main", "main"]
    )
    assert.deepStrictEqual(Option.getOrThrow(yield* listedCiRuns(home, { branch: "Main" })), [])
  })

  it.effect("branches: those of the newest CI runs, how many each has, the one with the newest first", function* () {
    const store = yield* TestHistoryStore
    const home = yield* newPlace
    for (const [at, branch] of ["main", "other", "main", undefined, "Main", "other"].entries()) {
      yield* home.register({ source: `ci:${at}`, ...(branch === undefined ? {} : { branch }) })
    }
    const branches = yield* store.branches(home.account.id, keyOf(home.repository))
    assert.deepStrictEqual(
      branches.map(({ branch, ciRuns, lastAt }) => [branch, ciRuns, DateTime.toEpochMillis(lastAt)]),
      [
        ["other", 2, DateTime.toEpochMillis(instant(6000))],
        ["Main", 1, DateTime.toEpochMillis(instant(5000))],
        ["main", 2, DateTime.toEpochMillis(instant(3000))]
      ]
    )
  })

  it.effect("names of the greatest length and in every script are listed and found", function* () {
    const store = yield* TestHistoryStore
    const home = yield* newPlace
    for (const name of ["漢🙂a".repeat(256), "‮مرحبا", "a\u{10FFFD}b"]) {
      const fields = {
        name,
        file: name,
        branch: name,
        device: { platform: name },
        source: name,
        commitSha: "c".repeat(40)
      }
      const run = yield* home.register(fields)
      const { test } = Option.getOrThrow(yield* store.find(home.account.id, testIdOf(run), name))
      assert.deepStrictEqual([test.name, test.file, test.branch, test.platform], [name, name, name, name])
      assert.deepStrictEqual(namesOf(yield* listed(home, { filter: { branch: name } })), [name])
      const [ciRun] = Option.getOrThrow(yield* listedCiRuns(home, { branch: name }))
      assert.deepStrictEqual([ciRun?.source, ciRun?.branch], [name, name])
    }
  })

  it.effect(
    "searchTests: the account's tests by words of a name, prompt, file, platform, app or device, the last one first",
    function* () {
      const store = yield* TestHistoryStore
      const home = yield* newPlace
      const other = yield* newPlace
      yield* home.register({ name: "Pay with Card", branch: "main" })
      yield* home.register({ name: "Pay 100%_off", branch: "main", status: "failed" })
      const { name: _, ...prompted } = home.run({ prompt: "Please PAY\nnow" })
      yield* registered(prompted)
      yield* home.register({ name: "Cart", file: "flows/pay.yaml", branch: "next", app: "rider" })
      yield* home.register({ name: "Log in", device: { name: "Pixel 9", platform: "android" } })
      yield* other.register({ name: "Pay elsewhere" })
      const search = (text: string, limit = 10, devices = false) =>
        Effect.map(store.searchTests(home.account.id, { words: text.split(" "), devices }, limit), (tests) =>
          tests.map(({ repository, test }) => {
            assert.strictEqual(repository.repo, home.repository.repo)
            assert.isUndefined(test.branch)
            return test.name ?? test.prompt
          })
        )
      const expected = ["Cart", "Please PAY\nnow", "Pay 100%_off", "Pay with Card"]
      yield* assertFirst(expected, (limit) => search("PAY", limit))
      assert.deepStrictEqual(yield* search("pay"), expected)
      assert.deepStrictEqual(yield* search("%_"), ["Pay 100%_off"])
      assert.deepStrictEqual(yield* search("RIDE"), ["Cart"])
      assert.deepStrictEqual(yield* search("card WITH pay"), ["Pay with Card"])
      assert.deepStrictEqual(yield* search("Android"), ["Log in"])
      assert.deepStrictEqual(yield* search("pixel log"), [])
      assert.deepStrictEqual(yield* search("pixel log", 10, true), ["Log in"])
      assert.deepStrictEqual(yield* search("no such test", 10, true), [])
      yield* unlink(home)
      assert.deepStrictEqual(yield* search("pay"), [])
    }
  )

  it.effect(
    "searchCiRuns: by branch, pull request, the beginning of a commit or words, the last one first",
    function* () {
      const store = yield* TestHistoryStore
      const home = yield* newPlace
      const other = yield* newPlace
      const commit = (start: string) => start.padEnd(40, "0")
      yield* home.register({ source: "ci:1/1", branch: "main", commitSha: commit("abcd1"), pr: 7 })
      yield* home.register({
        source: "ci:2/1",
        branch: "next",
        commitSha: commit("abcd2"),
        pr: 7,
        author: "Zoë Bell",
        commitMessage: "Pay"
      })
      yield* home.register({ source: "ci:3/1", branch: "main", commitSha: commit("abce1"), pr: 8 })
      yield* other.register({ source: "ci:4/1", branch: "main", commitSha: commit("abcd3"), pr: 7 })
      const search = (by: CiRunSearch, limit = 10) =>
        Effect.map(store.searchCiRuns(home.account.id, by, limit), (found) =>
          found.map(({ ciRun, repository }) => {
            assert.strictEqual(repository.repo, home.repository.repo)
            return ciRun.source
          })
        )
      assert.deepStrictEqual(yield* search({ branch: "main" }), ["ci:3/1", "ci:1/1"])
      assert.deepStrictEqual(yield* search({ branch: "main" }, 1), ["ci:3/1"])
      assert.deepStrictEqual(yield* search({ branch: "mai" }), [])
      assert.deepStrictEqual(yield* search({ pr: 7 }), ["ci:2/1", "ci:1/1"])
      assert.deepStrictEqual(yield* search({ commit: "abcd" }), ["ci:2/1", "ci:1/1"])
      assert.deepStrictEqual(yield* search({ commit: commit("abce1") }), ["ci:3/1"])
      assert.deepStrictEqual(yield* search({ words: ["CI:3"] }), ["ci:3/1"])
      assert.deepStrictEqual(yield* search({ words: ["pay", "bell", "Nex"] }), ["ci:2/1"])
      assert.deepStrictEqual(yield* search({ words: ["pay", "main"] }), [])
      assert.deepStrictEqual(yield* search({ words: [] }, 2), ["ci:3/1", "ci:2/1"])
      yield* unlink(home)
      assert.deepStrictEqual(yield* search({ pr: 7 }), [])
    }
  )
}

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
const historyCommitCases = (it: Cases<HistoryPorts>) => {
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
        const results = yield* concurrently(
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
