/** The ways in which a run of Detox can end, and what rows of such tables are. */
import { detoxLog, jest, jestJunit, trace } from "./results.ts"

/** Files by their paths. */
export type Files = Readonly<Record<string, string>>

/**
 * How it ended, the files, and what is registered of them, sorted: `✓ name`, `✗ name`, with ` (flaky)` or ` (interrupted)`;
 * `- name` of a test that was skipped.
 */
export type Row = readonly [how: string, files: Files, ...registered: ReadonlyArray<string>]

/** A text up to the end of its first occurrence of another. */
export const cut = (text: string, at: string): string => text.slice(0, text.indexOf(at) + at.length)

const e2e = "artifacts/ios.sim.release.2026-11-20 10-00-00Z"
const [begins, endsFile, ends] = [{ jest: "begins" }, { ends: "file" }, { ends: "Detox" }] as const
const [jestFailed, jestPassed] = [{ jest: "failed" }, { jest: "passed" }] as const
const file = { file: "e2e/a.test.js" } as const
export const [aPassed, aFailed] = [
  { test: "A", ends: "passed" },
  { test: "A", ends: "failed" }
] as const
const [bFailed, bBegan] = [{ test: "B", ends: "failed" }, { test: "B" }] as const

/** A trace of Detox. */
const traced = (...steps: Parameters<typeof trace>): Files => ({ [`${e2e}/detox.trace.json`]: trace(...steps) })
interface Test {
  readonly test: string
  readonly ends: string
}

/** A trace with an end, of one file with these tests. */
const whole = (...tests: ReadonlyArray<Test>): string =>
  trace([begins, file, ...tests, endsFile, tests.some((one) => one.ends === "failed") ? jestFailed : jestPassed, ends])
export const wholly = (...tests: ReadonlyArray<Test>): Files => ({ [`${e2e}/detox.trace.json`]: whole(...tests) })

const detoxInterrupted = "✗ ios.sim.release (interrupted)"

export const detox: ReadonlyArray<Row> = [
  ["passed and failed", wholly(aPassed, bFailed), "✓ A", "✗ B"],
  [
    "passed and failed, and its folder was copied",
    { ...wholly(aPassed, bFailed), [`copy/${e2e}/detox.trace.json`]: whole(aPassed, bFailed) },
    "✓ A",
    "✗ B"
  ],
  [
    "results of Jest that were copied",
    { "1/r.json": jest({ "e2e/a.test.js": { A: "passed" } }), "2/r.json": jest({ "e2e/a.test.js": { A: "passed" } }) },
    "✓ A"
  ],
  [
    "jest-junit counts a failure that it doesn't list",
    { "junit.xml": jestJunit({ A: "" }).replace('tests="1">', 'tests="1" failures="1">') },
    "✓ A",
    "✗ junit.xml (interrupted)"
  ],
  [
    "Jest was killed in a test, and Detox wrote its trace",
    traced([begins, file, aPassed, bBegan, jestFailed, ends]),
    "✓ A",
    "✗ B (interrupted)"
  ],
  [
    "Jest was killed between two tests",
    traced([begins, file, aPassed, jestFailed, ends]),
    "✓ A",
    "✗ e2e/a.test.js (interrupted)"
  ],
  ["Jest failed before its first file", traced([begins, jestFailed, ends]), detoxInterrupted],
  [
    "Jest failed, and no test did",
    traced([begins, file, aPassed, endsFile, jestFailed, ends]),
    "✓ A",
    detoxInterrupted
  ],
  [
    "Detox was ended by a signal: it left its logs",
    {
      [`${e2e}/0a1b.1.detox.jsonl`]: detoxLog([begins]),
      [`${e2e}/0a1b.2.detox.jsonl`]: detoxLog([file, aPassed, bBegan])
    },
    "✓ A",
    "✗ B (interrupted)"
  ],
  [
    "Detox was ended by a signal in the second round of --retries",
    {
      [`${e2e}/0a1b.1.detox.jsonl`]: detoxLog([begins, jestFailed, begins]),
      [`${e2e}/0a1b.2.detox.jsonl`]: detoxLog([file, aPassed, bFailed, endsFile]),
      [`${e2e}/0a1b.3.detox.jsonl`]: detoxLog([file, { ...aPassed, invocation: 2 }, { ...bBegan, invocation: 2 }]),
      "results.json": jest({ "e2e/a.test.js": { A: "passed", B: "failed" } })
    },
    "✓ A",
    "✗ B (interrupted)"
  ],
  [
    "everything was killed at once: there are folders of tests that ended, and nothing else",
    { [`${e2e}/✓ A/device.log`]: "log", [`${e2e}/✗ B/device.log`]: "log" },
    detoxInterrupted
  ],
  [
    "everything was killed at once in one app, and the other one has its results",
    {
      [`shop/${e2e}/✓ A/device.log`]: "log",
      "admin/results.json": jest({ "e2e/admin.test.js": { Admin: "passed" } })
    },
    "✓ Admin",
    detoxInterrupted
  ],
  [
    "everything was killed at once in the second round of --retries",
    {
      [`${e2e}/✓ A/device.log`]: "log",
      [`${e2e}/✗ B/device.log`]: "log",
      [`${e2e}/✓ A (2)/device.log`]: "log",
      "results.json": jest({ "e2e/a.test.js": { A: "passed", B: "failed" } })
    },
    "✓ A",
    "✗ B"
  ],
  [
    "failed and passed in the second round of --retries",
    traced([
      begins,
      file,
      aFailed,
      endsFile,
      jestFailed,
      begins,
      file,
      { ...aPassed, invocation: 2 },
      endsFile,
      jestPassed,
      ends
    ]),
    "✓ A (flaky)"
  ],
  ["a trace cut within a test", traced([begins, file, aPassed, bBegan], ',\n\t{"ph":"E'), "✓ A", "✗ B (interrupted)"],
  [
    "a trace cut after a failed test of a file with more tests",
    traced([begins, file, { test: "B", ends: "failed" }], ",\n"),
    "✗ B",
    "✗ e2e/a.test.js (interrupted)"
  ],
  ["a trace cut between two files", traced([begins, file, aPassed, endsFile], ",\n"), "✓ A", detoxInterrupted],
  ["an empty trace", { [`${e2e}/detox.trace.json`]: "" }, detoxInterrupted],
  [
    "skipped and todo tests of a trace",
    wholly(aPassed, { test: "B", ends: "skip" }, { test: "C", ends: "todo" }),
    "- B",
    "- C",
    "✓ A"
  ],
  ["a status of a test that nobody knows", wholly({ test: "A", ends: "pondered" }), "✗ A (interrupted)"],
  [
    "tests of one name in two files",
    { "results.json": jest({ "e2e/a.test.js": { Opens: "failed" }, "e2e/b.test.js": { Opens: "passed" } }) },
    "✓ Opens",
    "✗ Opens"
  ],
  [
    "two shards, one of which has a trace and the other only results that failed",
    {
      [`ios/${e2e}/detox.trace.json`]: whole(aPassed),
      "android/results.json": jest({ "e2e/a.test.js": { A: "failed" } })
    },
    "✓ A",
    "✗ A"
  ],
  [
    "two shards, one of which has a trace and the other cut results",
    {
      [`ios/${e2e}/detox.trace.json`]: whole(aPassed),
      "android/results.json": cut(jest({ "e2e/a.test.js": { A: "failed" } }), '"testResults"')
    },
    "✓ A",
    "✗ results.json (interrupted)"
  ],
  [
    "a report of jest-junit of another shard, with one name in common",
    {
      "one/results.json": jest({ "e2e/a.test.js": { A: "passed" } }),
      "two/junit.xml": jestJunit({ A: "<failure>no wind</failure>", B: "<failure>no sea</failure>" })
    },
    "✓ A",
    "✗ A",
    "✗ B"
  ]
]
