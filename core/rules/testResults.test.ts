import { assert, describe, it } from "@effect/vitest"
import { CommitSha } from "../model/Build.ts"
import { TestRunId, type TestRunStatus } from "../model/TestRun.ts"
import { intermittentFailures, judged, medianChange, slowerSince, unstableBefore } from "./testResults.ts"

/** A result of a test in its own CI run and on its own commit. The oldest has the id `0`. */
interface Result {
  readonly status: TestRunStatus
  readonly durationMs?: number
}

/** Results of a branch as a history holds them. They are given oldest first. */
const historyOf = (results: ReadonlyArray<Result>) =>
  results
    .map((result, at) => ({
      ciRun: `source-${at}`,
      runs: [
        {
          runId: TestRunId.make(String(at)),
          at,
          commitSha: CommitSha.make(at.toString(16).padStart(40, "0")),
          ...result
        }
      ] as const
    }))
    .toReversed()
const resultsOf = (results: ReadonlyArray<Result>) => judged(historyOf(results))

/** `p` passed, `f` failed; the oldest first. */
const outcomes = (letters: string): ReadonlyArray<Result> =>
  Array.from(letters, (letter) => ({ status: letter === "f" ? "failed" : "passed" }))

/** Numbers below 1, the same for a seed (mulberry32). */
const randomOf = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** How many of 1,000 simulated histories have a property. */
const countOf = (seed: number, has: (random: () => number) => boolean): number => {
  const random = randomOf(seed)
  return Array.from({ length: 1000 }, () => has(random)).filter(Boolean).length
}

describe("an intermittent test", () => {
  it.for<readonly [what: string, letters: string, failures: number]>([
    ["fails now and then", "ppfppppfpppfppppfpppp", 4],
    ["fails for two results in a row at most", "pffpppffpppppfp", 5],
    ["was broken once, and fixed", "pppppffffffpppppp", 0],
    ["was broken twice, and fixed at once", "ppppfpppppppfpppp", 0],
    ["was broken three times, for longer", "pfffppfffpppfffpp", 0],
    ["is broken now", "pppppfpppfppppppf", 0],
    ["is intermittent, and broken now", "pfppfppppfppppfff", 3],
    ["never passed", "ffffffffffffffffff", 0],
    ["was intermittent before the last 40 results", `pfpfpfpf${"p".repeat(40)}`, 0]
  ])("is one that %s: %s", ([, letters, failures]) => {
    assert.lengthOf(intermittentFailures(resultsOf(outcomes(letters))), failures)
  })

  it("is found as often, and confused with breaks that are fixed as seldom, as docs/history.md says", () => {
    const found = (rate: number) =>
      countOf(1, (random) => {
        const results = Array.from({ length: 40 }, () => (random() < rate ? "f" : "p")).join("")
        return intermittentFailures(resultsOf(outcomes(results))).length > 0
      })
    assert.deepStrictEqual([0.05, 0.1, 0.175, 0.3].map(found), [260, 703, 935, 995])
    const confused = (rate: number, meanLength: number) =>
      countOf(2, (random) => {
        let isBroken = false
        const results = Array.from({ length: 100 }, () => {
          isBroken = isBroken ? random() > 1 / meanLength : random() < rate
          return isBroken ? "f" : "p"
        })
        return intermittentFailures(resultsOf(outcomes(results.join("")))).length > 0
      })
    assert.deepStrictEqual(
      [confused(0.02, 4), confused(0.05, 4), confused(0.02, 2), confused(0.05, 2)],
      [4, 29, 17, 135]
    )
  })

  it("tells in how many of the last results before a CI run it was unstable", () => {
    const before = (letters: string) => unstableBefore(historyOf(outcomes(`${letters}f`)), `source-${letters.length}`)
    assert.deepStrictEqual(before("ppfppppfpppfppppfpppp"), { unstable: 4, of: 21 })
    assert.deepStrictEqual(before(`${"p".repeat(50)}pfppfppfpp`), { unstable: 3, of: 40 })
    assert.isUndefined(before("pppppfffpppp"))
    assert.isUndefined(unstableBefore([], "source-0"))
  })

  it("a test is unstable from 5 % of flaky results on", () => {
    const flakyIn = (count: number) =>
      unstableBefore(
        historyOf(outcomes("p".repeat(40))).map(({ ciRun, runs: [run] }, at) => ({
          ciRun,
          runs: [at < count ? { ...run, mixed: true as const } : run]
        })),
        "source-new"
      )
    assert.isUndefined(flakyIn(1))
    assert.deepStrictEqual(flakyIn(2), { unstable: 2, of: 40 })
  })
})

describe("a slowdown", () => {
  it("a median changes by a share of the one before, if there was one", () => {
    assert.strictEqual(medianChange({ recentP50Ms: 1500, earlierP50Ms: 1000 }), 0.5)
    assert.isUndefined(medianChange({ recentP50Ms: 1500 }))
    assert.isUndefined(medianChange({ recentP50Ms: 1500, earlierP50Ms: 0 }))
  })

  const sinceOf = (...durations: ReadonlyArray<number>) => {
    const since = slowerSince(resultsOf(durations.map((durationMs) => ({ status: "passed", durationMs }))))
    return since && [since.from.runId, since.to.runId]
  }

  it("begins with the first run of the higher level, or between two runs if that is uncertain", () => {
    assert.deepStrictEqual(sinceOf(1000, 1010, 990, 1005, 1500, 1490, 1510, 1500), ["4", "4"])
    assert.deepStrictEqual(sinceOf(1000, 1200, 900, 1100, 1250, 1100, 1300, 1350, 1200, 1400), ["3", "7"])
    assert.isUndefined(sinceOf(1000, 1010, 990, 1005, 1010, 1000))
    assert.isUndefined(sinceOf(1500, 1510, 1490, 1500, 1000, 1010, 990, 1000))
    assert.isUndefined(sinceOf(1000, 1500))
  })

  it("ignores failures and results without a duration", () => {
    const passed = [1000, 1010, 990, 1500, 1490, 1510].map((durationMs) => ({ status: "passed", durationMs }) as const)
    const others: ReadonlyArray<Result> = [{ status: "failed", durationMs: 30_000 }, { status: "passed" }]
    const since = slowerSince(resultsOf([...passed.slice(0, 2), ...others, ...passed.slice(2)]))
    assert.deepStrictEqual([since?.from.runId, since?.to.runId], ["5", "5"])
  })

  it("is named as certainly, and as rightly, as docs/history.md says", () => {
    const rates = (rise: number) => {
      const [counts, random] = [{ certain: 0, certainlyRight: 0, right: 0 }, randomOf(3)]
      const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
      for (let history = 0; history < 1000; history += 1) {
        const truth = 10 + Math.floor(random() * 41)
        const since = slowerSince(
          resultsOf(
            Array.from({ length: 60 }, (_, at) => ({
              status: "passed",
              durationMs: Math.round(10_000 * (at >= truth ? 1 + rise : 1) * (1 + 0.08 * normal()))
            }))
          )
        )
        if (since === undefined) continue
        const [from, to] = [Number(since.from.runId), Number(since.to.runId)]
        if (from <= truth && truth <= to) counts.right += 1
        if (from === to) counts.certain += 1
        if (from === to && from === truth) counts.certainlyRight += 1
      }
      return counts
    }
    assert.deepStrictEqual(rates(0.7), { certain: 994, certainlyRight: 994, right: 1000 })
    assert.deepStrictEqual(rates(0.2), { certain: 113, certainlyRight: 109, right: 976 })
  })
})
