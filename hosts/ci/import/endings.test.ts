/**
 * The ways in which a run of Maestro, Detox or Jest can end: the files on disk and the registered runs. With `--fail-on failed`
 * the exit code is 1 if one of them failed. A failure is never shown as a success: an unknown, truncated or ambiguous
 * outcome is a failure.
 */
import { aPassed, cut, detox, wholly, type Files, type Row } from "./testing/detoxEndings.ts"
import { assert, describe, it } from "vitest"
import { runCi } from "../testing/runCi.ts"
import { folderOf } from "./testing/reading.ts"
import { began, commands, flowCase, jest, jestJunit, report, suite } from "./testing/results.ts"

const session = "out/2026-11-20_100000"
const next = "out/2026-11-20_101000"
const log = "10:00:00.020 [ INFO] maestro.Maestro: Launching app com.acme\n"
const passes = commands(["COMPLETED", "WARNED"])
const fails = commands(["COMPLETED", "FAILED"])
const passesLater = commands(["COMPLETED"], { at: began + 600_000 })
const failure = "<failure>Element not found</failure>"
const [passed, failed] = [flowCase("flows/happy.yaml", "SUCCESS"), flowCase("flows/happy.yaml", "ERROR", failure)]

/** The commands of the flow happy, its log, and a report of such cases. */
const happy = (content: string): Files => ({ [`${session}/happy/commands.json`]: content })
const happyLog: Files = { [`${session}/happy/logs/maestro.log`]: log }
const reported = (...cases: ReadonlyArray<string>): Files => ({ "report.xml": report(suite(cases)) })
const reportAt = (at: string, one: string, seconds?: number): string =>
  report(suite([one], { at: `2026-11-20T${at}`, ...(seconds === undefined ? {} : { seconds }) }))
/** Two flows of one base name, the first of which failed. */
const twoHappy = report(
  suite([flowCase("flows/checkout/happy.yaml", "ERROR", failure), flowCase("flows/profile/happy.yaml", "SUCCESS")])
)
/** The line of a log of Maestro before 2.7 at which a flow began. */
const runningSuite = (name: string): string => `10:00:00.000 [ INFO] m.TestSuiteInteractor.runFlow: ${name}\n`
const runningOne = "10:00:00.000 [ INFO] m.TestRunner.runSingle: Running flow happy.yaml...\n"

const both = ["✓ happy", "✗ happy"] as const
const interrupted = "✗ happy (interrupted)"

const maestro: ReadonlyArray<Row> = [
  ["passed", happy(passes), "✓ happy"],
  ["failed", happy(fails), "✗ happy"],
  [
    "killed in a flow: it left its log, and commands only of those before it",
    { [`${session}/first/commands.json`]: commands(["COMPLETED"], { file: "first" }), ...happyLog },
    "✓ first",
    interrupted
  ],
  ["killed in the only flow", happyLog, interrupted],
  ["killed after the commands, before the manifest", { ...happy(passes), ...happyLog }, "✓ happy"],
  [
    "the manifest is there, and the commands are not",
    { [`${session}/happy/manifest.json`]: '{"entries":[]}', ...happyLog },
    interrupted
  ],
  ["empty commands", happy(""), interrupted],
  ["commands that list none", happy("[]"), interrupted],
  ["commands that are no list", happy("null"), interrupted],
  ["commands cut between two of them", happy(cut(passes, '"Step 1')), interrupted],
  ["commands cut at their last character", happy(passes.slice(0, -1)), interrupted],
  ["ended before its first step", happy(commands([])), interrupted],
  ["ended in a step", happy(commands(["COMPLETED", "RUNNING"])), interrupted],
  ["a step with a status that nobody knows", happy(commands(["COMPLETED", "PONDERED"])), interrupted],
  ["a step was skipped", happy(commands(["COMPLETED", "SKIPPED"])), "✓ happy"],
  [
    "two flows of one base name, one of which failed",
    { ...happy(fails), [`${session}/happy-2/commands.json`]: passes, "out/report.xml": twoHappy },
    ...both
  ],
  [
    "two flows of one base name without a report",
    { ...happy(fails), [`${session}/happy-2/commands.json`]: passes },
    ...both
  ],
  ["two flows of one base name in a report alone", { "report.xml": twoHappy }, ...both],
  [
    "two folders of a matrix, whose devices are called the same",
    { "api30/report.xml": reportAt("10:00:00", failed), "api34/report.xml": reportAt("10:10:00", passed) },
    ...both
  ],
  [
    "two folders of a matrix without reports",
    { [`api30/${session}/happy/commands.json`]: fails, [`api34/${session}/happy/commands.json`]: passesLater },
    ...both
  ],
  [
    "two apps with flows of the same names",
    { "shop/report.xml": report(suite([passed])), "admin/report.xml": report(suite([failed])) },
    ...both
  ],
  [
    "two shards of one report, whose devices are called the same",
    { "report.xml": report(suite([failed], { device: "pixel" }), suite([passed], { device: "pixel" })) },
    ...both
  ],
  [
    "two shards of one flow in folders alone",
    {
      [`${session}/happy-shard-1/commands.json`]: fails,
      [`${session}/happy-shard-2/commands.json`]: commands(["COMPLETED"], { device: "emulator-5556" })
    },
    ...both
  ],
  [
    "tried again after the first suite had ended, each try with a report",
    {
      "out/report-1.xml": reportAt("10:00:00", failed),
      "out/report-2.xml": reportAt("10:10:00", passed),
      ...happy(fails),
      [`${next}/happy/commands.json`]: passesLater
    },
    "✓ happy (flaky)"
  ],
  [
    "tried again, and failed again, whatever the reports are called",
    { "out/again.xml": reportAt("10:10:00", failed), "out/first.xml": reportAt("10:00:00", passed) },
    "✗ happy"
  ],
  [
    "two reports of one flow that overlap in time: two machines",
    { "out/a.xml": reportAt("10:00:00", failed, 60), "out/b.xml": reportAt("10:00:30", passed, 60) },
    ...both
  ],
  [
    "two reports of one flow, and the last one is unknown",
    { "out/a.xml": report(suite([failed])), "out/b.xml": report(suite([passed])) },
    ...both
  ],
  [
    "tried again without a report of its own: the flow that failed may be another one",
    { ...happy(fails), [`${next}/happy/commands.json`]: passesLater, "out/report.xml": report(suite([passed])) },
    ...both
  ],
  [
    "killed at its second try",
    { ...happy(passes), "out/report.xml": report(suite([passed])), [`${next}/happy/logs/maestro.log`]: log },
    "✓ happy",
    interrupted
  ],
  [
    "the report says that it failed, the commands that all went well: an exception between them",
    { ...happy(passes), "out/report.xml": report(suite([failed])) },
    "✗ happy"
  ],
  [
    "the report of one leg says that it passed, the commands of another that it failed",
    { [`api30/${session}/happy/commands.json`]: fails, "api34/report.xml": report(suite([passed])) },
    ...both
  ],
  [
    "the commands were cut, and the report beside them says how it ended",
    { ...happy(""), "out/report.xml": report(suite([passed])) },
    "✓ happy"
  ],
  [
    "the commands of one leg were cut, and the report of another says that it passed",
    { [`api30/${session}/happy/commands.json`]: "", "api34/report.xml": report(suite([passed])) },
    "✓ happy",
    interrupted
  ],
  [
    "a report cut within a test case",
    { "report.xml": cut(report(suite([passed, flowCase("flows/pay.yaml", "ERROR", failure)])), "<failure>Elem") },
    "✓ happy",
    "✗ pay (interrupted)"
  ],
  [
    "a report cut within a test case that says that it passed",
    { "report.xml": cut(report(suite([flowCase("flows/happy.yaml", "SUCCESS", "<properties/>")])), "<properties/>") },
    interrupted
  ],
  [
    "a report cut between test cases",
    { "report.xml": cut(report(suite([passed, failed])), "</testcase>") },
    "✓ happy",
    "✗ report.xml (interrupted)"
  ],
  ["an empty report", { "report.xml": "" }, "✗ report.xml (interrupted)"],
  [
    "a report cut before its first element",
    { "report.xml": "<?xml version='1.0' encoding='UTF-8'?>\n<testsu" },
    "✗ report.xml (interrupted)"
  ],
  [
    "skipped, as JUnit says it",
    reported(passed, flowCase("flows/pay.yaml", undefined, "<skipped/>")),
    "- pay",
    "✓ happy"
  ],
  ["skipped, as a status says it", reported(flowCase("flows/pay.yaml", "SKIPPED")), "- pay"],
  ["skipped, and failed all the same", reported(flowCase("flows/pay.yaml", "SKIPPED", failure)), "✗ pay"],
  ["passed, and failed all the same", reported(flowCase("flows/pay.yaml", "SUCCESS", failure)), "✗ pay"],
  [
    "cancelled, stopped, or never started, as the cloud says it",
    reported(
      ...["CANCELED", "STOPPED", "PENDING", "RUNNING"].map((status) => flowCase(`flows/${status}.yaml`, status))
    ),
    ...["CANCELED", "PENDING", "RUNNING", "STOPPED"].map((name) => `✗ ${name} (interrupted)`)
  ],
  [
    "killed in a flow, before 2.7: the log says that it began",
    {
      "flat/commands-(first).json": commands(["COMPLETED"], { file: "first" }),
      "flat/maestro.log": runningSuite(" Running flow first") + runningSuite(" Running flow happy")
    },
    "✓ first",
    interrupted
  ],
  [
    "the only flow passed, before 2.7, and the log says that it began by the name of its file",
    {
      "flat/commands-(happy.yaml).json": commands(["COMPLETED"], { name: "Happy flow" }),
      "flat/maestro.log": runningOne
    },
    "✓ Happy flow"
  ],
  ["killed in the only flow, before 2.7", { "flat/maestro.log": runningOne }, interrupted],
  [
    "each flow of a session with its folder and its line in the log",
    {
      [`${session}/maestro.log`]:
        runningSuite("[shard 1]  Running flow Happy flow") + runningSuite("[shard 1]  Running flow first/one"),
      [`${session}/Happy flow/commands.json`]: commands(["COMPLETED"], { name: "Happy flow" }),
      [`${session}/first_one-shard-1/commands.json`]: commands(["COMPLETED"], { file: "one", name: "first/one" })
    },
    "✓ Happy flow",
    "✓ first/one"
  ],
  [
    "killed in a flow, and the log was copied",
    {
      "a/maestro.log": runningSuite(" Running flow happy"),
      "b/maestro.log": runningSuite(" Running flow happy")
    },
    interrupted
  ],
  [
    "the folder of a session was copied",
    { ...happy(fails), "copy/happy/commands.json": fails, "copy/first/commands.json": passes },
    ...both
  ],
  [
    "the log of a session lies in a folder beside its commands",
    {
      "logs/maestro.log": runningOne,
      "flat/commands-(happy.yaml).json": commands(["COMPLETED"], { name: "Happy flow" })
    },
    "✓ Happy flow"
  ],
  [
    "the log beside the folder of a session is of a later start",
    {
      "logs/maestro.log": runningOne.replace("10:00:", "10:05:"),
      "flat/commands-(happy.yaml).json": commands(["COMPLETED"], { name: "Happy flow" })
    },
    "✓ Happy flow",
    interrupted
  ],
  [
    "the log of another session lies beside the commands, a quarter of an hour later",
    {
      "out/2026-11-20_101500/maestro.log": runningOne.replace("10:00:", "10:15:"),
      [`${session}/happy/commands.json`]: passes
    },
    "✓ happy",
    interrupted
  ],
  ["killed in a flow whose folder has another one", { ...happyLog, [`${session}/happy/more/a.txt`]: "a" }, interrupted],
  ["commands cut before 2.7", { "flat/commands-(happy).json": cut(fails, '"Step 1') }, interrupted]
]

/** The results of Jest of one file, and a report of jest-junit. */
const results = (tests: Readonly<Record<string, string>>, more: Readonly<Record<string, unknown>> = {}): Files => ({
  "results.json": jest({ "e2e/a.test.js": tests }, more)
})
const junit = jestJunit({ A: "", B: "<failure>no wind</failure>" })
const resultsInterrupted = "✗ results.json (interrupted)"

const jestRows: ReadonlyArray<Row> = [
  [
    "results cut within a file of tests",
    { "results.json": cut(jest({ "e2e/a.test.js": { A: "passed" }, "e2e/b.test.js": { B: "failed" } }), '"B"') },
    "✓ A",
    resultsInterrupted
  ],
  ["empty results", { "results.json": "" }, resultsInterrupted],
  ["results cut before they say what they are", { "results.json": '{"numFailedTests":1,"start' }, resultsInterrupted],
  [
    "results cut beside a whole trace, which lists every test",
    { "results.json": cut(jest({ "e2e/a.test.js": { A: "passed" } }), '"testResults"'), ...wholly(aPassed) },
    "✓ A"
  ],
  [
    "results that say that the tests failed, and list none that did",
    results({ A: "passed" }, { success: false }),
    "✓ A",
    resultsInterrupted
  ],
  [
    "Jest counts a failure that it doesn't list",
    results({ A: "passed" }, { numFailedTests: 1 }),
    "✓ A",
    resultsInterrupted
  ],
  [
    "results of zeros beside a report",
    { "results.json": "\0".repeat(300), "junit.xml": jestJunit({ A: "passed" }) },
    "✓ A",
    resultsInterrupted
  ],
  ["Jest was interrupted", results({ A: "passed" }, { wasInterrupted: true }), "✓ A", resultsInterrupted],
  [
    "pending, todo and disabled tests",
    results({ A: "pending", B: "todo", C: "disabled", D: "passed" }),
    "- A",
    "- B",
    "- C",
    "✓ D"
  ],
  ["a test with a status that nobody knows", results({ A: "pondered" }), "✗ A (interrupted)"],
  [
    "a report of jest-junit cut within a test case",
    { "junit.xml": cut(junit, "<failure>no") },
    "✓ A",
    "✗ B (interrupted)"
  ],
  [
    "a report of jest-junit cut between test cases",
    { "junit.xml": cut(junit, "</testcase>") },
    "✓ A",
    "✗ junit.xml (interrupted)"
  ],
  [
    "a report of jest-junit cut in a failure outside of the tests",
    {
      "junit.xml": cut(
        jestJunit({ A: "", "Test execution failure: a hook": "<failure>no wind</failure>", B: "<failure/>" }),
        "<failure>no"
      )
    },
    "✓ A",
    "✗ A",
    "✗ junit.xml (interrupted)"
  ],
  ["skipped tests of jest-junit", { "junit.xml": jestJunit({ A: "<skipped/>", B: "" }) }, "- A", "✓ B"]
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
  it.for(rows)("that ended so: %s", async ([, files, ...registered]) => {
    const importer = tool === "maestro" ? "maestro" : "detox"
    const args = ["import", importer, "--dry-run", "--fail-on", "failed", folderOf(files)]
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
    assert.strictEqual(code, registered.some((one) => one.startsWith("✗")) ? 1 : 0)
    const { err } = await runCi(args)
    const open = registered.filter((one) => one.endsWith("(interrupted)")).length
    assert.strictEqual(err.includes(` (${open} interrupted)`), open > 0, err)
  })
})

it("has at least 40 ways", () => assert.isAtLeast(Object.values(tables).flat().length, 40))
