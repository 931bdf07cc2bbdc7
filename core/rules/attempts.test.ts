import { assert, describe, it } from "vitest"
import { attemptsOf, ciRunFilter, sourceParts, type Attempted } from "./attempts.ts"

interface Run extends Attempted {
  readonly id: string
}

const attempt = (source: string | undefined, id: string, fields: Partial<Attempted> = {}): Run => ({
  id,
  kind: "maestro",
  name: "Pay",
  status: "passed",
  source,
  ...fields
})

const failed = { status: "failed" }
const on = (name: string, platform = "ios") => ({ device: { name, platform } })

/** The tests of runs that are given the oldest first: `latest < earlier < …`, with the failed ones in capitals. */
const tests = (...oldestFirst: ReadonlyArray<Run>): ReadonlyArray<string> =>
  attemptsOf(oldestFirst.toReversed(), (run) => run).map((all) =>
    all.map(({ id, status }) => (status === "failed" ? id.toUpperCase() : id)).join(" < ")
  )

const [one, two, three] = ["github:7/1", "github:7/2", "github:7/3"]

describe("the attempts at a test in one CI run", () => {
  it.for<readonly [what: string, runs: ReadonlyArray<Run>, expected: ReadonlyArray<string>]>([
    ["a later attempt replaces an earlier one", [attempt(one, "a", failed), attempt(two, "b")], ["b < A"]],
    ["also for the worse", [attempt(one, "a"), attempt(two, "b", failed)], ["B < a"]],
    [
      "attempts are compared as numbers, and not by the time of registration",
      [attempt("github:7/10", "j"), attempt("github:7/9", "i", failed), attempt(two, "b", failed)],
      ["j < I < B"]
    ],
    [
      "a test that isn't run again keeps its result",
      [attempt(one, "a", failed), attempt(one, "other", { name: "Cart" }), attempt(two, "b")],
      ["b < A", "other"]
    ],
    [
      "a source without an attempt comes before the first",
      [attempt("github:7", "a", failed), attempt(one, "b")],
      ["b < A"]
    ],
    [
      "attempts that have ids are in the order of their first runs",
      [
        attempt("circleci:5a", "a", failed),
        attempt("circleci:5a/ffffffff-0000-4000-8000-000000000000", "b", failed),
        attempt("circleci:5a/00000000-0000-4000-8000-000000000000", "c")
      ],
      ["c < B < A"]
    ],
    [
      "one attempt's runs of a test stand beside each other",
      [attempt(one, "a", failed), attempt(one, "b")],
      ["b", "A"]
    ],
    ["other CI runs don't matter", [attempt("github:6/1", "a", failed), attempt(two, "b")], ["b", "A"]],
    ["nor do runs without a source", [attempt(undefined, "a", failed), attempt(undefined, "b")], ["b", "A"]],
    [
      "a source of another form has no attempts",
      [attempt("release/1", "a", failed), attempt("release/2", "b"), attempt("jenkins:app/main#9", "c")],
      ["c", "b", "A"]
    ],
    [
      "another name, kind, file or platform is another test",
      [
        attempt(one, "a", failed),
        attempt(two, "b", { name: "pay" }),
        attempt(two, "c", { kind: "detox" }),
        attempt(two, "d", { file: "pay.yaml" }),
        attempt(two, "e", { device: { platform: "ios" } })
      ],
      ["e", "d", "c", "b", "A"]
    ],
    [
      "a prompt stands for a name",
      [
        attempt(one, "a", { name: undefined, prompt: "Pay with a card", ...failed }),
        attempt(two, "b", { name: undefined, prompt: "Pay with a card" }),
        attempt(two, "c", { name: undefined, prompt: "Pay" })
      ],
      ["c", "b < A"]
    ],
    [
      "of two devices, the one that is run again is replaced",
      [attempt(one, "a", { ...failed, ...on("SE") }), attempt(one, "b", on("17")), attempt(two, "c", on("SE"))],
      ["c < A", "b"]
    ],
    [
      "a failure on a device that isn't run again stays",
      [
        attempt(one, "a", { ...failed, ...on("SE") }),
        attempt(one, "b", { ...failed, ...on("17") }),
        attempt(two, "c", on("17"))
      ],
      ["c < B", "A"]
    ],
    [
      "a pass on another device doesn't replace a failure",
      [attempt(one, "a", { ...failed, ...on("SE") }), attempt(two, "b", on("17"))],
      ["b", "A"]
    ],
    [
      "the number of an emulator is no name",
      [
        attempt(one, "a", { ...failed, ...on("emulator-5554", "android") }),
        attempt(two, "b", on("emulator-5556", "android"))
      ],
      ["b < A"]
    ],
    [
      "a job that isn't run again keeps its failure, whatever passes in another job",
      [
        attempt(one, "a", { ...failed, job: "a34" }),
        attempt(one, "b", { job: "a35" }),
        attempt(two, "c", { job: "a35" })
      ],
      ["c < b", "A"]
    ],
    [
      "also on a device of the same name, and if the other job reported nothing before",
      [attempt(one, "a", { ...failed, ...on("SE"), job: "a" }), attempt(two, "b", { ...on("SE"), job: "b" })],
      ["b", "A"]
    ],
    [
      "a job that is run again is replaced",
      [
        attempt(one, "a", { ...failed, job: "a34" }),
        attempt(one, "b", { ...failed, job: "a35" }),
        attempt(two, "c", { job: "a34" })
      ],
      ["c < A", "B"]
    ],
    [
      "indexes in the names of jobs are part of them",
      [attempt(one, "a", { ...failed, job: "e2e 1/2" }), attempt(two, "b", { job: "e2e 2/2" })],
      ["b", "A"]
    ],
    [
      "a run without a job replaces none of a job, nor the other way round",
      [
        attempt(one, "a", { ...failed, job: "e2e" }),
        attempt(two, "b"),
        attempt(three, "c", { job: "e2e", ...failed }),
        attempt("github:7/4", "d", failed)
      ],
      ["D < b", "C < A"]
    ],
    [
      "another app is another test",
      [attempt(one, "a", { ...failed, app: "A" }), attempt(two, "b", { app: "B" }), attempt(two, "c")],
      ["c", "b", "A"]
    ],
    [
      "where nothing tells shards apart, the failed one may not be the one that was run again",
      [attempt(one, "a", failed), attempt(one, "b"), attempt(two, "c")],
      ["c < b", "A"]
    ],
    [
      "also if it failed in a later attempt than the first",
      [attempt(one, "a"), attempt(one, "b"), attempt(two, "c", failed), attempt(three, "d")],
      ["d < a", "C < b"]
    ],
    [
      "where all shards are run again, all are replaced",
      [attempt(one, "a", failed), attempt(one, "b"), attempt(two, "c"), attempt(two, "d")],
      ["d < b", "c < A"]
    ],
    [
      "where only failed ones are left, one of them was run again",
      [
        attempt(one, "a", failed),
        attempt(one, "b"),
        attempt(one, "c", failed),
        attempt(two, "d", failed),
        attempt(three, "e")
      ],
      ["e < D < b", "C", "A"]
    ]
  ])("%s", ([, runs, expected]) => {
    assert.deepStrictEqual(tests(...runs), expected)
  })

  const sources = [one, two, three, "github:7", "github:8/1", undefined]
  /** Runs of all sources, drawn alike in each test run. */
  const drawn = (seed: number, length: number, fields: ReadonlyArray<Partial<Attempted>>): ReadonlyArray<Run> => {
    let state = seed + 1
    const below = (bound: number) => {
      state = (state * 48_271) % 0x7fff_ffff
      return state % bound
    }
    return Array.from({ length }, (_, n) =>
      attempt(sources[below(sources.length)], `r${n}`, {
        ...fields[below(fields.length)],
        ...fields[below(fields.length)]
      })
    )
  }

  it("no run of a job, an app or a CI run changes what is said of another", () => {
    const fields = [
      {},
      failed,
      on("SE"),
      on("emulator-5554"),
      { job: "a34" },
      { job: "a35" },
      { app: "A" },
      { app: "B" }
    ]
    for (let seed = 0; seed < 300; seed++) {
      const runs = drawn(seed, 12, fields)
      const groupOf = ({ app, job, source }: Run) => JSON.stringify([source && sourceParts(source).ciRun, app, job])
      const all = attemptsOf(runs, (run) => run)
      for (const group of new Set(runs.map(groupOf))) {
        assert.deepStrictEqual(
          all.filter(([latest]) => groupOf(latest) === group),
          attemptsOf(
            runs.filter((run) => groupOf(run) === group),
            (run) => run
          ),
          `seed ${seed}`
        )
      }
    }
  })

  it("every run is there once, whatever the runs are", () => {
    const runs = drawn(1, 300, [failed, {}, on("SE"), { ...failed, ...on("17") }, { name: "Cart" }, { job: "e2e" }])
    const found = attemptsOf(runs, (run) => run).flat()
    assert.lengthOf(found, runs.length)
    assert.strictEqual(new Set(found).size, runs.length)
  })
})

describe("a source", () => {
  it.for([
    ["github:7/2", { ciRun: "github:7", attempt: "2" }, { ciRun: "github:7" }],
    ["github:7", { ciRun: "github:7", attempt: undefined }, { ciRun: "github:7" }],
    ["jenkins:app/main#9", { ciRun: "jenkins:app/main#9", attempt: undefined }, { source: "jenkins:app/main#9" }],
    ["github:7/2/3", { ciRun: "github:7/2/3", attempt: undefined }, { source: "github:7/2/3" }],
    ["release/2", { ciRun: "release/2", attempt: undefined }, { source: "release/2" }],
    ["a:\0", { ciRun: "a:\0", attempt: undefined }, { source: "a:\0" }],
    ["ci", { ciRun: "ci", attempt: undefined }, { source: "ci" }],
    ["nightly:app/beta", { ciRun: "nightly:app/beta", attempt: undefined }, { source: "nightly:app/beta" }]
  ] as const)("%s", ([source, parts, filter]) => {
    assert.deepStrictEqual(sourceParts(source), parts)
    assert.deepStrictEqual(ciRunFilter(source), filter)
  })
})
