/**
 * The ways in which a run of Maestro, Detox or Jest can end: the files on disk, the registered runs, and the exit code
 * with `--fail-on failed`. A failure is never shown as a success: an unknown, truncated or ambiguous outcome is a
 * failure.
 */
import { assert, describe, it } from "vitest"
import { runCi } from "../testing/runCi.ts"
import { folderOf } from "./testing/reading.ts"
import { began, commands, detoxLog, flowCase, jest, jestJunit, report, suite, trace } from "./testing/results.ts"

interface Row {
  /** How it ended. */
  readonly how: string
  readonly onDisk: Readonly<Record<string, string>>
  /** `✓ name`, `✗ name`, with ` (flaky)` or ` (interrupted)`; `- name` of a test that was skipped. Sorted. */
  readonly registered: ReadonlyArray<string>
  readonly exits: number
}

const session = "out/2026-11-20_100000"
const next = "out/2026-11-20_101000"
const log = "10:00:00.020 [ INFO] maestro.Maestro: Launching app com.acme\n"
const passes = commands(["COMPLETED", "WARNED"])
const fails = commands(["COMPLETED", "FAILED"])
const failure = "<failure>Element not found</failure>"
const [passed, failed] = [flowCase("flows/happy.yaml", "SUCCESS"), flowCase("flows/happy.yaml", "ERROR", failure)]
const cut = (text: string, at: string): string => text.slice(0, text.indexOf(at) + at.length)

const maestro: ReadonlyArray<Row> = [
  { how: "passed", onDisk: { [`${session}/happy/commands.json`]: passes }, registered: ["✓ happy"], exits: 0 },
  { how: "failed", onDisk: { [`${session}/happy/commands.json`]: fails }, registered: ["✗ happy"], exits: 1 },
  {
    how: "killed in a flow: it left its log, and commands only of those before it",
    onDisk: {
      [`${session}/first/commands.json`]: commands(["COMPLETED"], { file: "first" }),
      [`${session}/happy/logs/maestro.log`]: log
    },
    registered: ["✓ first", "✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "killed in the only flow",
    onDisk: { [`${session}/happy/logs/maestro.log`]: log },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "killed after the commands, before the manifest",
    onDisk: { [`${session}/happy/commands.json`]: passes, [`${session}/happy/logs/maestro.log`]: log },
    registered: ["✓ happy"],
    exits: 0
  },
  {
    how: "the manifest is there, and the commands are not",
    onDisk: { [`${session}/happy/manifest.json`]: '{"entries":[]}', [`${session}/happy/logs/maestro.log`]: log },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "empty commands",
    onDisk: { [`${session}/happy/commands.json`]: "" },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "commands that list none",
    onDisk: { [`${session}/happy/commands.json`]: "[]" },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "commands that are no list",
    onDisk: { [`${session}/happy/commands.json`]: "null" },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "commands cut between two of them",
    onDisk: { [`${session}/happy/commands.json`]: cut(passes, '"Step 1') },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "commands cut at their last character",
    onDisk: { [`${session}/happy/commands.json`]: passes.slice(0, -1) },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "ended before its first step",
    onDisk: { [`${session}/happy/commands.json`]: commands([]) },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "ended in a step",
    onDisk: { [`${session}/happy/commands.json`]: commands(["COMPLETED", "RUNNING"]) },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "a step with a status that nobody knows",
    onDisk: { [`${session}/happy/commands.json`]: commands(["COMPLETED", "PONDERED"]) },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "a step was skipped",
    onDisk: { [`${session}/happy/commands.json`]: commands(["COMPLETED", "SKIPPED"]) },
    registered: ["✓ happy"],
    exits: 0
  },
  {
    how: "two flows of one base name, one of which failed",
    onDisk: {
      [`${session}/happy/commands.json`]: fails,
      [`${session}/happy-2/commands.json`]: passes,
      "out/report.xml": report(
        suite([
          flowCase("flows/checkout/happy.yaml", "ERROR", failure),
          flowCase("flows/profile/happy.yaml", "SUCCESS")
        ])
      )
    },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "two flows of one base name without a report",
    onDisk: { [`${session}/happy/commands.json`]: fails, [`${session}/happy-2/commands.json`]: passes },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "two flows of one base name in a report alone",
    onDisk: {
      "report.xml": report(
        suite([
          flowCase("flows/checkout/happy.yaml", "ERROR", failure),
          flowCase("flows/profile/happy.yaml", "SUCCESS")
        ])
      )
    },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "two folders of a matrix, whose devices are called the same",
    onDisk: {
      "api30/report.xml": report(suite([failed], { at: "2026-11-20T10:00:00" })),
      "api34/report.xml": report(suite([passed], { at: "2026-11-20T10:10:00" }))
    },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "two folders of a matrix without reports",
    onDisk: {
      [`api30/${session}/happy/commands.json`]: fails,
      [`api34/${session}/happy/commands.json`]: commands(["COMPLETED"], { at: began + 600_000 })
    },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "two apps with flows of the same names",
    onDisk: { "shop/report.xml": report(suite([passed])), "admin/report.xml": report(suite([failed])) },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "two shards of one report, whose devices are called the same",
    onDisk: { "report.xml": report(suite([failed], { device: "pixel" }), suite([passed], { device: "pixel" })) },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "two shards of one flow in folders alone",
    onDisk: {
      [`${session}/happy-shard-1/commands.json`]: fails,
      [`${session}/happy-shard-2/commands.json`]: commands(["COMPLETED"], { device: "emulator-5556" })
    },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "tried again after the first suite had ended, each try with a report",
    onDisk: {
      "out/report-1.xml": report(suite([failed], { at: "2026-11-20T10:00:00" })),
      "out/report-2.xml": report(suite([passed], { at: "2026-11-20T10:10:00" })),
      [`${session}/happy/commands.json`]: fails,
      [`${next}/happy/commands.json`]: commands(["COMPLETED"], { at: began + 600_000 })
    },
    registered: ["✓ happy (flaky)"],
    exits: 0
  },
  {
    how: "tried again, and failed again, whatever the reports are called",
    onDisk: {
      "out/again.xml": report(suite([failed], { at: "2026-11-20T10:10:00" })),
      "out/first.xml": report(suite([passed], { at: "2026-11-20T10:00:00" }))
    },
    registered: ["✗ happy"],
    exits: 1
  },
  {
    how: "two reports of one flow that overlap in time: two machines",
    onDisk: {
      "out/a.xml": report(suite([failed], { at: "2026-11-20T10:00:00", seconds: 60 })),
      "out/b.xml": report(suite([passed], { at: "2026-11-20T10:00:30", seconds: 60 }))
    },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "two reports of one flow, and the last one is unknown",
    onDisk: { "out/a.xml": report(suite([failed])), "out/b.xml": report(suite([passed])) },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "tried again without a report of its own: the flow that failed may be another one",
    onDisk: {
      [`${session}/happy/commands.json`]: fails,
      [`${next}/happy/commands.json`]: commands(["COMPLETED"], { at: began + 600_000 }),
      "out/report.xml": report(suite([passed]))
    },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "killed at its second try",
    onDisk: {
      [`${session}/happy/commands.json`]: passes,
      "out/report.xml": report(suite([passed])),
      [`${next}/happy/logs/maestro.log`]: log
    },
    registered: ["✓ happy", "✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "the report says that it failed, the commands that all went well: an exception between them",
    onDisk: { [`${session}/happy/commands.json`]: passes, "out/report.xml": report(suite([failed])) },
    registered: ["✗ happy"],
    exits: 1
  },
  {
    how: "the report of one leg says that it passed, the commands of another that it failed",
    onDisk: { [`api30/${session}/happy/commands.json`]: fails, "api34/report.xml": report(suite([passed])) },
    registered: ["✓ happy", "✗ happy"],
    exits: 1
  },
  {
    how: "the commands were cut, and the report beside them says how it ended",
    onDisk: { [`${session}/happy/commands.json`]: "", "out/report.xml": report(suite([passed])) },
    registered: ["✓ happy"],
    exits: 0
  },
  {
    how: "the commands of one leg were cut, and the report of another says that it passed",
    onDisk: { [`api30/${session}/happy/commands.json`]: "", "api34/report.xml": report(suite([passed])) },
    registered: ["✓ happy", "✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "a report cut within a test case",
    onDisk: {
      "report.xml": cut(report(suite([passed, flowCase("flows/pay.yaml", "ERROR", failure)])), "<failure>Elem")
    },
    registered: ["✓ happy", "✗ pay (interrupted)"],
    exits: 1
  },
  {
    how: "a report cut within a test case that says that it passed",
    onDisk: {
      "report.xml": cut(report(suite([flowCase("flows/happy.yaml", "SUCCESS", "<properties/>")])), "<properties/>")
    },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "a report cut between test cases",
    onDisk: { "report.xml": cut(report(suite([passed, failed])), "</testcase>") },
    registered: ["✓ happy", "✗ report.xml (interrupted)"],
    exits: 1
  },
  { how: "an empty report", onDisk: { "report.xml": "" }, registered: ["✗ report.xml (interrupted)"], exits: 1 },
  {
    how: "a report cut before its first element",
    onDisk: { "report.xml": "<?xml version='1.0' encoding='UTF-8'?>\n<testsu" },
    registered: ["✗ report.xml (interrupted)"],
    exits: 1
  },
  {
    how: "skipped, as JUnit says it",
    onDisk: { "report.xml": report(suite([passed, flowCase("flows/pay.yaml", undefined, "<skipped/>")])) },
    registered: ["- pay", "✓ happy"],
    exits: 0
  },
  {
    how: "skipped, as a status says it",
    onDisk: { "report.xml": report(suite([flowCase("flows/pay.yaml", "SKIPPED")])) },
    registered: ["- pay"],
    exits: 0
  },
  {
    how: "skipped, and failed all the same",
    onDisk: { "report.xml": report(suite([flowCase("flows/pay.yaml", "SKIPPED", failure)])) },
    registered: ["✗ pay (interrupted)"],
    exits: 1
  },
  {
    how: "passed, and failed all the same",
    onDisk: { "report.xml": report(suite([flowCase("flows/pay.yaml", "SUCCESS", failure)])) },
    registered: ["✗ pay"],
    exits: 1
  },
  {
    how: "cancelled, stopped, or never started, as the cloud says it",
    onDisk: {
      "report.xml": report(
        suite(["CANCELED", "STOPPED", "PENDING", "RUNNING"].map((status) => flowCase(`flows/${status}.yaml`, status)))
      )
    },
    registered: ["CANCELED", "PENDING", "RUNNING", "STOPPED"].map((name) => `✗ ${name} (interrupted)`),
    exits: 1
  },
  {
    how: "killed in a flow, before 2.7: the log says that it began",
    onDisk: {
      "flat/commands-(first).json": commands(["COMPLETED"], { file: "first" }),
      "flat/maestro.log": ["first", "happy"]
        .map((name) => `10:00:00.000 [ INFO] m.TestSuiteInteractor.runFlow:  Running flow ${name}\n`)
        .join("")
    },
    registered: ["✓ first", "✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "the only flow passed, before 2.7, and the log says that it began by the name of its file",
    onDisk: {
      "flat/commands-(happy.yaml).json": commands(["COMPLETED"], { name: "Happy flow" }),
      "flat/maestro.log": "10:00:00.000 [ INFO] m.TestRunner.runSingle: Running flow happy.yaml...\n"
    },
    registered: ["✓ Happy flow"],
    exits: 0
  },
  {
    how: "killed in the only flow, before 2.7",
    onDisk: { "flat/maestro.log": "10:00:00.000 [ INFO] m.TestRunner.runSingle: Running flow happy.yaml...\n" },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  },
  {
    how: "each flow of a session with its folder and its line in the log",
    onDisk: {
      [`${session}/maestro.log`]: ["Happy flow", "first/one"]
        .map((name) => `10:00:00.000 [ INFO] m.TestSuiteInteractor.runFlow: [shard 1]  Running flow ${name}\n`)
        .join(""),
      [`${session}/Happy flow/commands.json`]: commands(["COMPLETED"], { name: "Happy flow" }),
      [`${session}/first_one-shard-1/commands.json`]: commands(["COMPLETED"], { file: "one", name: "first/one" })
    },
    registered: ["✓ Happy flow", "✓ first/one"],
    exits: 0
  },
  {
    how: "commands cut before 2.7",
    onDisk: { "flat/commands-(happy).json": cut(fails, '"Step 1') },
    registered: ["✗ happy (interrupted)"],
    exits: 1
  }
]

const e2e = "artifacts/ios.sim.release.2026-11-20 10-00-00Z"
const [begins, endsFile, ends] = [{ jest: "begins" }, { ends: "file" }, { ends: "Detox" }] as const
const file = { file: "e2e/a.test.js" } as const
const whole = (tests: ReadonlyArray<{ readonly test: string; readonly ends: string; readonly invocation?: number }>) =>
  trace([
    begins,
    file,
    ...tests,
    endsFile,
    { jest: tests.some((one) => one.ends === "failed") ? "failed" : "passed" },
    ends
  ])

const detox: ReadonlyArray<Row> = [
  {
    how: "passed and failed",
    onDisk: {
      [`${e2e}/detox.trace.json`]: whole([
        { test: "A", ends: "passed" },
        { test: "B", ends: "failed" }
      ])
    },
    registered: ["✓ A", "✗ B"],
    exits: 1
  },
  {
    how: "Jest was killed in a test, and Detox wrote its trace",
    onDisk: {
      [`${e2e}/detox.trace.json`]: trace([
        begins,
        file,
        { test: "A", ends: "passed" },
        { test: "B" },
        { jest: "failed" },
        ends
      ])
    },
    registered: ["✓ A", "✗ B (interrupted)"],
    exits: 1
  },
  {
    how: "Jest was killed between two tests",
    onDisk: {
      [`${e2e}/detox.trace.json`]: trace([begins, file, { test: "A", ends: "passed" }, { jest: "failed" }, ends])
    },
    registered: ["✓ A", "✗ e2e/a.test.js (interrupted)"],
    exits: 1
  },
  {
    how: "Jest failed before its first file",
    onDisk: { [`${e2e}/detox.trace.json`]: trace([begins, { jest: "failed" }, ends]) },
    registered: ["✗ ios.sim.release (interrupted)"],
    exits: 1
  },
  {
    how: "Jest failed, and no test did",
    onDisk: {
      [`${e2e}/detox.trace.json`]: trace([
        begins,
        file,
        { test: "A", ends: "passed" },
        endsFile,
        { jest: "failed" },
        ends
      ])
    },
    registered: ["✓ A", "✗ ios.sim.release (interrupted)"],
    exits: 1
  },
  {
    how: "Detox was ended by a signal: it left its logs",
    onDisk: {
      [`${e2e}/0a1b.1.detox.jsonl`]: detoxLog([begins]),
      [`${e2e}/0a1b.2.detox.jsonl`]: detoxLog([file, { test: "A", ends: "passed" }, { test: "B" }])
    },
    registered: ["✓ A", "✗ B (interrupted)"],
    exits: 1
  },
  {
    how: "Detox was ended by a signal in the second round of --retries",
    onDisk: {
      [`${e2e}/0a1b.1.detox.jsonl`]: detoxLog([begins, { jest: "failed" }, begins]),
      [`${e2e}/0a1b.2.detox.jsonl`]: detoxLog([
        file,
        { test: "A", ends: "passed" },
        { test: "B", ends: "failed" },
        endsFile
      ]),
      [`${e2e}/0a1b.3.detox.jsonl`]: detoxLog([
        file,
        { test: "A", ends: "passed", invocation: 2 },
        { test: "B", invocation: 2 }
      ]),
      "results.json": jest({ "e2e/a.test.js": { A: "passed", B: "failed" } })
    },
    registered: ["✓ A", "✗ B (interrupted)"],
    exits: 1
  },
  {
    how: "everything was killed at once: there are folders of tests that ended, and nothing else",
    onDisk: { [`${e2e}/✓ A/device.log`]: "log", [`${e2e}/✗ B/device.log`]: "log" },
    registered: ["✗ ios.sim.release (interrupted)"],
    exits: 1
  },
  {
    how: "everything was killed at once in one app, and the other one has its results",
    onDisk: {
      [`shop/${e2e}/✓ A/device.log`]: "log",
      "admin/results.json": jest({ "e2e/admin.test.js": { Admin: "passed" } })
    },
    registered: ["✓ Admin", "✗ ios.sim.release (interrupted)"],
    exits: 1
  },
  {
    how: "everything was killed at once in the second round of --retries",
    onDisk: {
      [`${e2e}/✓ A/device.log`]: "log",
      [`${e2e}/✗ B/device.log`]: "log",
      [`${e2e}/✓ A (2)/device.log`]: "log",
      "results.json": jest({ "e2e/a.test.js": { A: "passed", B: "failed" } })
    },
    registered: ["✓ A", "✗ B"],
    exits: 1
  },
  {
    how: "failed and passed in the second round of --retries",
    onDisk: {
      [`${e2e}/detox.trace.json`]: trace([
        begins,
        file,
        { test: "A", ends: "failed" },
        endsFile,
        { jest: "failed" },
        begins,
        file,
        { test: "A", ends: "passed", invocation: 2 },
        endsFile,
        { jest: "passed" },
        ends
      ])
    },
    registered: ["✓ A (flaky)"],
    exits: 0
  },
  {
    how: "a trace cut within a test",
    onDisk: {
      [`${e2e}/detox.trace.json`]: trace([begins, file, { test: "A", ends: "passed" }, { test: "B" }], ',\n\t{"ph":"E')
    },
    registered: ["✓ A", "✗ B (interrupted)"],
    exits: 1
  },
  {
    how: "a trace cut between two files",
    onDisk: { [`${e2e}/detox.trace.json`]: trace([begins, file, { test: "A", ends: "passed" }, endsFile], ",\n") },
    registered: ["✓ A", "✗ ios.sim.release (interrupted)"],
    exits: 1
  },
  {
    how: "an empty trace",
    onDisk: { [`${e2e}/detox.trace.json`]: "" },
    registered: ["✗ ios.sim.release (interrupted)"],
    exits: 1
  },
  {
    how: "skipped and todo tests of a trace",
    onDisk: {
      [`${e2e}/detox.trace.json`]: whole([
        { test: "A", ends: "passed" },
        { test: "B", ends: "skip" },
        { test: "C", ends: "todo" }
      ])
    },
    registered: ["- B", "- C", "✓ A"],
    exits: 0
  },
  {
    how: "a status of a test that nobody knows",
    onDisk: { [`${e2e}/detox.trace.json`]: whole([{ test: "A", ends: "pondered" }]) },
    registered: ["✗ A (interrupted)"],
    exits: 1
  },
  {
    how: "tests of one name in two files",
    onDisk: { "results.json": jest({ "e2e/a.test.js": { Opens: "failed" }, "e2e/b.test.js": { Opens: "passed" } }) },
    registered: ["✓ Opens", "✗ Opens"],
    exits: 1
  },
  {
    how: "two shards, one of which has a trace and the other only results that failed",
    onDisk: {
      [`ios/${e2e}/detox.trace.json`]: whole([{ test: "A", ends: "passed" }]),
      "android/results.json": jest({ "e2e/a.test.js": { A: "failed" } })
    },
    registered: ["✓ A", "✗ A"],
    exits: 1
  },
  {
    how: "a report of jest-junit of another shard, with one name in common",
    onDisk: {
      "one/results.json": jest({ "e2e/a.test.js": { A: "passed" } }),
      "two/junit.xml": jestJunit({ A: "<failure>no wind</failure>", B: "<failure>no sea</failure>" })
    },
    registered: ["✓ A", "✗ A", "✗ B"],
    exits: 1
  }
]

const jestRows: ReadonlyArray<Row> = [
  {
    how: "results cut within a file of tests",
    onDisk: {
      "results.json": cut(jest({ "e2e/a.test.js": { A: "passed" }, "e2e/b.test.js": { B: "failed" } }), '"B"')
    },
    registered: ["✓ A", "✗ results.json (interrupted)"],
    exits: 1
  },
  { how: "empty results", onDisk: { "results.json": "" }, registered: ["✗ results.json (interrupted)"], exits: 1 },
  {
    how: "results cut before they say what they are",
    onDisk: { "results.json": '{"numFailedTests":1,"start' },
    registered: ["✗ results.json (interrupted)"],
    exits: 1
  },
  {
    how: "results cut beside a whole trace, which lists every test",
    onDisk: {
      "results.json": cut(jest({ "e2e/a.test.js": { A: "passed" } }), '"testResults"'),
      [`${e2e}/detox.trace.json`]: whole([{ test: "A", ends: "passed" }])
    },
    registered: ["✓ A"],
    exits: 0
  },
  {
    how: "results that say that the tests failed, and list none that did",
    onDisk: { "results.json": jest({ "e2e/a.test.js": { A: "passed" } }, { success: false }) },
    registered: ["✓ A", "✗ results.json (interrupted)"],
    exits: 1
  },
  {
    how: "Jest was interrupted",
    onDisk: { "results.json": jest({ "e2e/a.test.js": { A: "passed" } }, { wasInterrupted: true }) },
    registered: ["✓ A", "✗ results.json (interrupted)"],
    exits: 1
  },
  {
    how: "pending, todo and disabled tests",
    onDisk: { "results.json": jest({ "e2e/a.test.js": { A: "pending", B: "todo", C: "disabled", D: "passed" } }) },
    registered: ["- A", "- B", "- C", "✓ D"],
    exits: 0
  },
  {
    how: "a test with a status that nobody knows",
    onDisk: { "results.json": jest({ "e2e/a.test.js": { A: "pondered" } }) },
    registered: ["✗ A (interrupted)"],
    exits: 1
  },
  {
    how: "a report of jest-junit cut within a test case",
    onDisk: { "junit.xml": cut(jestJunit({ A: "", B: "<failure>no wind</failure>" }), "<failure>no") },
    registered: ["✓ A", "✗ B (interrupted)"],
    exits: 1
  },
  {
    how: "a report of jest-junit cut between test cases",
    onDisk: { "junit.xml": cut(jestJunit({ A: "", B: "<failure>no wind</failure>" }), "</testcase>") },
    registered: ["✓ A", "✗ junit.xml (interrupted)"],
    exits: 1
  },
  {
    how: "skipped tests of jest-junit",
    onDisk: { "junit.xml": jestJunit({ A: "<skipped/>", B: "" }) },
    registered: ["- A", "✓ B"],
    exits: 0
  }
]

interface Imported {
  readonly runs: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly isFlaky: boolean
    readonly failureMessage?: string
  }>
  readonly skipped: ReadonlyArray<{ readonly name: string }>
}

const tables = { maestro, detox, jest: jestRows }

describe.for(Object.entries(tables))("a run of %s", ([tool, rows]) => {
  it.for(rows.map((row) => [row.how, row] as const))("that ended so: %s", async ([, { exits, onDisk, registered }]) => {
    const args = [
      "import",
      tool === "maestro" ? "maestro" : "detox",
      "--dry-run",
      "--fail-on",
      "failed",
      folderOf(onDisk)
    ]
    const { code, out } = await runCi([...args, "--json"])
    const { runs, skipped }: Imported = JSON.parse(out)
    assert.deepStrictEqual(
      [
        ...skipped.map(({ name }) => `- ${name}`),
        ...runs.map(({ failureMessage, isFlaky, name, status }) => {
          const isInterrupted = failureMessage?.startsWith("Interrupted: ") === true
          return `${status === "passed" ? "✓" : "✗"} ${name}${isFlaky ? " (flaky)" : ""}${isInterrupted ? " (interrupted)" : ""}`
        })
      ].toSorted(),
      [...registered].toSorted()
    )
    assert.strictEqual(code, exits)
    const { err } = await runCi(args)
    const open = registered.filter((one) => one.endsWith("(interrupted)")).length
    assert.strictEqual(err.includes(` (${open} interrupted)`), open > 0, err)
  })
})

it("has at least 40 ways", () => assert.isAtLeast(Object.values(tables).flat().length, 40))
