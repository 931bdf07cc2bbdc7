import { failed, makeStore, minute, run } from "./testing/historyOfRuns.ts"
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Option } from "effect"
import { RepositoryId } from "../model/Repository.ts"
import type { CiRun, TestHistory } from "../model/TestHistory.ts"
import { TestRunId, type TestRun } from "../model/TestRun.ts"
import {
  endOf,
  breakBefore,
  judged,
  messageLine,
  messagePattern,
  outcomeOf,
  percentile,
  resultsOf,
  resultStart
} from "./testResults.ts"
import {
  defaultBranchOf,
  historyOf,
  lastWorkingDay,
  historyWith,
  historyWithout,
  needsStoredRuns
} from "./testHistory.ts"
import { ciRunOf, startOf, testIdOf } from "./testRuns.ts"

const [first, second, other] = ["github:1/1", "github:1/2", "github:2/1"].map((source) => ({ source }))

/** How the last results ended, newest first, with a star if flaky. */
const endings = (...runs: ReadonlyArray<TestRun>): string =>
  judged(resultsOf(runs))
    .map(({ flaky, outcome }) => outcome + (flaky ? "*" : ""))
    .join(" ")

describe("what a test's results are", () => {
  it.for<readonly [what: string, runs: ReadonlyArray<TestRun>, expected: string]>([
    ["each CI run is a result, the last first", [failed("a", 1, first), run("b", 2, other)], "passed failed"],
    ["the last attempt at a CI run decides", [failed("a", 1, first), run("b", 2, second)], "flaky*"],
    ["also for the worse", [run("a", 1, first), failed("b", 2, second)], "failed*"],
    [
      "a failure on one device isn't replaced by a pass on another",
      [
        failed("a", 1, { ...first, device: { name: "iPhone 16" } }),
        run("b", 2, { ...first, device: { name: "iPhone SE" } })
      ],
      "failed*"
    ],
    [
      "a failure in one job isn't replaced by a pass in another",
      [failed("a", 1, { ...first, job: "api-34" }), run("b", 2, { ...second, job: "api-35" })],
      "failed*"
    ],
    [
      "a job that is run again decides",
      [failed("a", 1, { ...first, job: "api-34" }), run("b", 2, { ...second, job: "api-34" })],
      "flaky*"
    ],
    [
      "without a source, runs of one commit are one result",
      [failed("a", 1, { commitSha: "c" }), run("b", 2, { commitSha: "c" })],
      "flaky*"
    ],
    ["without both, each run is a result", [failed("a", 1), run("b", 2)], "passed failed"],
    ["a run's own attempts count", [run("a", 1, { attempts: [{ status: "failed" }, { status: "passed" }] })], "flaky*"],
    [
      "both outcomes for one commit in two CI runs are flaky",
      [failed("a", 1, { ...first, commitSha: "c" }), run("b", 2, { ...other, commitSha: "c" })],
      "flaky* failed*"
    ],
    [
      "two outcomes for two commits are not",
      [failed("a", 1, { ...first, commitSha: "c" }), run("b", 2, { ...other, commitSha: "d" })],
      "passed failed"
    ],
    [
      "a run that is registered late is where it started",
      [run("b", 2, other), failed("a", 3, { ...first, startedAt: minute(1) })],
      "passed failed"
    ],
    [
      "a result is where its first attempt started",
      [failed("a", 1, first), run("b", 2, other), failed("c", 3, second)],
      "passed failed"
    ]
  ])("%s", ([, runs, expected]) => {
    assert.strictEqual(endings(...runs), expected)
    assert.strictEqual(endings(...runs.toReversed()), expected, "in the other order")
  })

  it("a run starts when it says, but neither after its registration nor before 1970", () => {
    const at = (startedAt: string) => startOf(run("a", 5, { startedAt: DateTime.makeUnsafe(startedAt) }))
    assert.strictEqual(at("2025-12-31T23:59:00Z"), DateTime.toEpochMillis(minute(-1)))
    assert.strictEqual(at("2027-01-01T00:00:00Z"), DateTime.toEpochMillis(minute(5)))
    assert.strictEqual(at("0004-01-01T00:00:00Z"), 0)
  })

  it("a test is its repository, kind, name, file, platform and app", () => {
    const ids = [
      {},
      { repositoryId: RepositoryId.make("s") },
      { kind: "detox" as const },
      { name: "pay" },
      { file: "pay.yaml" },
      { device: { platform: "ios" } },
      { app: "rider" },
      { app: "ios" }
    ].map((fields) => testIdOf(run("a", 1, fields)))
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.strictEqual(testIdOf(run("b", 2, { status: "failed", ...first, device: { name: "any" } })), ids[0])
  })
})

describe("the last working day", () => {
  it.each([
    ["a Tuesday", "2026-11-24T15:00:00Z", "2026-11-23"],
    ["a Saturday", "2026-11-28T00:00:00Z", "2026-11-27"],
    ["a Sunday", "2026-11-29T23:59:59Z", "2026-11-27"],
    ["a Monday", "2026-11-30T08:00:00Z", "2026-11-27"]
  ])("before %s", (_, now, expected) => {
    assert.strictEqual(DateTime.formatIso(lastWorkingDay(DateTime.makeUnsafe(now))), `${expected}T00:00:00.000Z`)
  })
})

describe("the numbers of a history", () => {
  const history = (...runs: ReadonlyArray<TestRun>): TestHistory => {
    const made = historyOf(run("any", 0), { branch: "main", version: 1 }, resultsOf(runs))
    if (made === undefined) throw new Error("there is no result")
    return made
  }

  it("tell since when it fails, when it passed last, and why", () => {
    const { lastStatus, summary } = history(
      run("a", 1, { commitSha: "c1" }),
      failed("b", 2, { commitSha: "c2", failureMessage: "No button 1" }),
      failed("c", 3, { commitSha: "c3", failureMessage: "\nNo button 2\nat line 3" }),
      failed("d", 4, { commitSha: "c4", failureMessage: "Timed out" })
    )
    assert.strictEqual(lastStatus, "failed")
    assert.deepStrictEqual(
      { since: summary.failingSince?.commitSha, row: summary.failuresInARow, passed: summary.lastPassed?.runId },
      { since: "c2", row: 3, passed: TestRunId.make("a") }
    )
    assert.deepStrictEqual([summary.lastMessage, summary.frequentMessage], ["Timed out", "No button 2"])
    assert.strictEqual(summary.recent, "pfff")
  })

  it("count over the last 100 results, with medians of the last 30 and of the 30 before", () => {
    const runs = Array.from({ length: 120 }, (_, index) => run(String(index), index, { durationMs: index }))
    const { p95Ms, results, summary } = history(...runs)
    assert.deepStrictEqual([results.length, summary.runs, summary.recent.length], [100, 100, 30])
    assert.deepStrictEqual(
      [summary.p50Ms, p95Ms, summary.recentP50Ms, summary.earlierP50Ms],
      [20 + 49, 20 + 94, 90 + 14, 60 + 14]
    )
  })

  it("percentiles are values that there are", () => {
    assert.deepStrictEqual(
      [percentile([], 0.5), percentile([7], 0.95), percentile([4, 1, 3, 2], 0.5)],
      [undefined, 7, 2]
    )
  })
})

describe("the change by a run", () => {
  it.for([
    { which: "of short texts", steps: 600, perCiRun: 3, texts: 0 },
    { which: "of long texts", steps: 400, perCiRun: 3, texts: 1000 },
    { which: "of more than a result holds", steps: 500, perCiRun: 130, texts: 1000 }
  ])("keeps a history what it is of all runs $which, in any order, when runs are deleted too", (each) => {
    const { apply, ciRuns, histories, load } = makeStore()
    const { perCiRun, steps, texts } = each
    let seed = 7
    const below = (limit: number) => (seed = (seed * 48271) % 2147483647) % limit
    let stored: ReadonlyArray<TestRun> = []
    for (let at = 0; at < steps; at++) {
      const deleted = below(6) === 0 ? stored[below(stored.length)] : undefined
      if (deleted === undefined) {
        const ciRun = Math.max(0, Math.floor(at / perCiRun) - below(below(20) === 0 ? 150 : 3))
        const added = run(`run ${at}`, at, {
          status: below(3) === 0 ? "failed" : "passed",
          branch: ciRun % 4 === 0 ? "next" : "main",
          source: `github:${ciRun}/${1 + below(3)}`,
          commitSha: String(Math.floor(ciRun / 2)),
          durationMs: below(100),
          ...(texts === 0 ? {} : { device: { name: "x".repeat(below(texts)) } }),
          ...(below(5) === 0 ? { startedAt: minute(at - below(300)) } : {})
        })
        const loaded = load(added)
        apply(historyWith(added, loaded, needsStoredRuns(loaded, added) ? stored : []))
        stored = [...stored, added]
      } else {
        apply(historyWithout(deleted, load(deleted), stored))
        stored = stored.filter((one) => one !== deleted)
      }
      if (at % 20 !== 19) continue
      const expected = (branch: string | undefined) =>
        resultsOf(stored.filter((one) => branch === undefined || one.branch === branch))
      for (const branch of [undefined, "main", "next"]) {
        assert.deepStrictEqual(histories.get(branch ?? "")?.results ?? [], expected(branch), `${at} on ${branch}`)
      }
    }
    const totals = new Map<string, Record<string, number>>()
    for (const ciRun of new Set(stored.map(ciRunOf))) {
      const its = stored.filter((one) => ciRunOf(one) === ciRun)
      const [result] = resultsOf(its)
      const outcome = result && outcomeOf(endOf(result))
      totals.set(ciRun, {
        passed: Number(outcome === "passed"),
        failed: Number(outcome === "failed"),
        flaky: Number(outcome === "flaky"),
        runs: its.length,
        durationMs: its.reduce((sum, { durationMs = 0 }) => sum + durationMs, 0)
      })
    }
    for (const [ciRun, { durationMs, failed, flaky, passed, runs }] of ciRuns) {
      assert.deepStrictEqual(
        { passed, failed, flaky, runs, durationMs },
        totals.get(ciRun) ?? { passed: 0, failed: 0, flaky: 0, runs: 0, durationMs: 0 },
        ciRun
      )
    }
  })

  it("leaves a history that is bounded, whatever the texts of its runs are", () => {
    const long = (at: number) => `${at}`.padEnd(255, "x")
    const runs = Array.from({ length: 2000 }, (_, at) =>
      failed(`${at}`, at, {
        source: `github:${at % 40}/1`.padEnd(255, "x"),
        branch: long(at),
        device: { name: long(at) },
        failureMessage: long(at)
      })
    )
    const results = resultsOf(runs)
    assert.isAtMost(JSON.stringify(results).length, 250_000)
    assert.isAtLeast(results.length, 2)
    assert.deepStrictEqual(resultsOf(runs.slice(-1), results), results)
  })

  it("needs the stored runs only when its CI run may have dropped out of a history", () => {
    const many = Array.from({ length: 100 }, (_, index) =>
      run(`r${index}`, 100 + index, { source: `github:${index}/1` })
    )
    const full = historyOf(run("any", 0), { branch: undefined, version: 1 }, resultsOf(many))
    const ciRunAt = (at: number) =>
      historyWith(run("a", at, { source: "ci:late/1" }), makeStore().load(run("a", at)), []).ciRun
    const needs = (ciRun: CiRun | undefined, added: TestRun) =>
      needsStoredRuns(
        {
          all: Option.fromUndefinedOr(full),
          branch: Option.none(),
          ciRun: Option.fromUndefinedOr(ciRun),
          quarantine: Option.none()
        },
        added
      )
    assert.isFalse(needs(undefined, run("x", 300, { source: "ci:new/1" })), "a new CI run")
    assert.isFalse(needs(ciRunAt(150), run("x", 300, { source: "ci:late/2" })), "one that began within the results")
    assert.isTrue(needs(ciRunAt(50), run("x", 300, { source: "ci:late/2" })), "one that began before them")
    assert.isFalse(needs(ciRunAt(50), run("x", 300, { source: "github:5/2" })), "one that is among them")
  })
})

it("the stored runs are needed when a run replaces a longer one of its result, so that a history that was full is not", () => {
  const device = (length: number) => ({ device: { name: "x".repeat(length) } })
  const runs = [
    ...Array.from({ length: 80 }, (_, at) => run(`${at}`, at, { source: `github:${10 + at}/1`, ...device(989) })),
    run("long", 1000, { source: "github:own/1", ...device(500) }),
    ...Array.from({ length: 99 }, (_, at) => run(`own${at}`, 1001 + at, { source: "github:own/1" }))
  ]
  const all = Option.fromUndefinedOr(historyOf(run("any", 0), { branch: undefined, version: 1 }, resultsOf(runs)))
  const needs = (length: number) =>
    needsStoredRuns(
      { all, branch: Option.none(), ciRun: Option.none(), quarantine: Option.none() },
      run("new", 2000, { source: "github:own/1", ...device(length) })
    )
  assert.deepStrictEqual([needs(0), needs(500)], [true, false])
})

describe("what a failure is compared with", () => {
  const results = resultsOf([run("a", 1, first), failed("b", 2, other), run("c", 3, { source: "github:3/1" })])

  it("is the result before that of the CI run, or else the last", () => {
    const key = (source: string) => ciRunOf(run("any", 0, { source }))
    assert.isDefined(breakBefore(results, key("github:3/1")).failingSince)
    assert.strictEqual(breakBefore(results, key("github:3/1")).lastPassed?.runId, results[2]?.runs[0].runId)
    assert.isUndefined(breakBefore(results, key("github:2/1")).failingSince)
    assert.isUndefined(breakBefore(results, key("github:9/1")).failingSince, "the last passed")
    assert.isUndefined(breakBefore([], key("github:9/1")).failingSince, "there is no result")
    assert.deepStrictEqual(
      results.map(resultStart),
      [3, 2, 1].map((at) => DateTime.toEpochMillis(minute(at)))
    )
  })

  it("on the default branch: that of the link, else main, master, or the one with the most CI runs", () => {
    const branches = (...names: ReadonlyArray<string>) => names.map((branch, ciRuns) => ({ branch, ciRuns }))
    assert.strictEqual(defaultBranchOf({ defaultBranch: "trunk" }, branches("main")), "trunk")
    assert.strictEqual(defaultBranchOf({}, branches("main", "master", "next")), "main")
    assert.strictEqual(defaultBranchOf({}, branches("master", "next")), "master")
    assert.strictEqual(defaultBranchOf({}, branches("next", "most")), "most")
    assert.isUndefined(defaultBranchOf({}, []))
  })
})

describe("messages", () => {
  it("are shown by their first line that isn't empty", () => {
    assert.strictEqual(messageLine("\r\n  No\tbutton \n at x"), "No button")
    assert.strictEqual(messageLine("x".repeat(300))?.length, 200)
    assert.isUndefined(messageLine(" \n"))
  })

  it.for<readonly [same: string, other: string]>([
    ['Cannot find UI element "pay"', 'Cannot find UI element "cart"'],
    ["Timed out after 5000 ms", "Timed out after 12.5 ms"],
    ["at 10:31:07 lost 3f2a9c1d-1111-4222-8333-aaaaaaaaaaaa", "at 9:05:00 lost 00000000-1111-4222-8333-bbbbbbbbbbbb"],
    ["no file /Users/ci/a/flow.yaml", "no file /home/runner/flow.yaml"],
    ["GET https://a.example/x?1 failed", "GET http://b.example/ failed"],
    ["crash at 0xDEADBEEF in 4f3c2b1a", "crash at 0x1 in 1a2b3c4d"]
  ])("of one cause have one pattern: %s", ([same, another]) => {
    assert.strictEqual(messagePattern(same), messagePattern(another))
  })

  it("of two causes have two", () => {
    assert.notStrictEqual(messagePattern("Element not found: id 1"), messagePattern("Element not visible: id 1"))
    assert.strictEqual(messagePattern("the face faded away"), "the face faded away")
    const ofMaestro = ['Assertion is false: "Paid" is visible', "Element not found: Text matching regex: Berth 12"]
    assert.deepStrictEqual(ofMaestro.map(messagePattern), ofMaestro)
  })
})
