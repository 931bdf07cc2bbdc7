import { assert } from "@effect/vitest"
import { DateTime, Effect, Option } from "effect"
import { TestHistoryStore, type CiRunSearch, type TestFilter } from "../../core/ports/TestHistoryStore.ts"
import { ciRunOfSource, testIdOf } from "../../core/rules/testRuns.ts"
import { keyOf } from "./parts/buildPorts.ts"
import { deleted, registered } from "./parts/histories.ts"
import { instant } from "./parts/samples.ts"
import { assertFirst, assertPages } from "./parts/lists.ts"
import type { Cases } from "./parts/suite.ts"
import { listed, listedCiRuns, namesOf, newPlace, unlink, type HistoryPorts } from "./parts/historyPorts.ts"

/** The lists of tests and CI runs, and the search of them. */
export const historyListCases = (it: Cases<HistoryPorts>) => {
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
        Effect.map(listed(home, { filter: { text, ...more } }), (tests) =>
          Option.getOrThrow(tests).map(({ name, prompt }) => name ?? prompt)
        )
      assert.deepStrictEqual(yield* by("card"), ["Buy a card", "Pay by CARD"])
      assert.deepStrictEqual(yield* by("FLOWS/"), ["Pay by CARD"])
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
    "searchTests: the account's tests by a part of a name, prompt, file or app, the last one first",
    function* () {
      const store = yield* TestHistoryStore
      const home = yield* newPlace
      const other = yield* newPlace
      yield* home.register({ name: "Pay with Card", branch: "main" })
      yield* home.register({ name: "Pay 100%_off", branch: "main", status: "failed" })
      const { name: _, ...prompted } = home.run({ prompt: "Please PAY\nnow" })
      yield* registered(prompted)
      yield* home.register({ name: "Cart", file: "flows/pay.yaml", branch: "next", app: "rider" })
      yield* home.register({ name: "Log in" })
      yield* other.register({ name: "Pay elsewhere" })
      const search = (text: string, limit = 10) =>
        Effect.map(store.searchTests(home.account.id, text, limit), (tests) =>
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
      assert.deepStrictEqual(yield* search("no such test"), [])
      yield* unlink(home)
      assert.deepStrictEqual(yield* search("pay"), [])
    }
  )

  it.effect("searchCiRuns: by branch, pull request, or the beginning of a commit, the last one first", function* () {
    const store = yield* TestHistoryStore
    const home = yield* newPlace
    const other = yield* newPlace
    const commit = (start: string) => start.padEnd(40, "0")
    yield* home.register({ source: "ci:1/1", branch: "main", commitSha: commit("abcd1"), pr: 7 })
    yield* home.register({ source: "ci:2/1", branch: "next", commitSha: commit("abcd2"), pr: 7 })
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
    yield* unlink(home)
    assert.deepStrictEqual(yield* search({ pr: 7 }), [])
  })
}
