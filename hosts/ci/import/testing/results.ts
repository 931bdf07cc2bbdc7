/** Makes what Maestro, Detox and Jest write, as small as it can be, in the forms of the real ones. */

/** When the first of it happened. */
export const began = Date.parse("2026-11-20T10:00:00Z")

type CommandStatus = "COMPLETED" | "FAILED" | "WARNED" | "SKIPPED" | "RUNNING" | "PONDERED"

interface FlowMade {
  readonly name?: string
  /** The name of its file, without folder and extension. */
  readonly file?: string
  readonly device?: string
  readonly at?: number
  readonly env?: Readonly<Record<string, string>>
}

/** `commands.json` of a flow that ran these steps. */
export const commands = (
  steps: ReadonlyArray<CommandStatus>,
  { at = began, device = "emulator-5554", env = {}, file = "happy", name = file }: FlowMade = {}
): string => {
  const variables = { ...env, MAESTRO_FILENAME: file, MAESTRO_DEVICE_UDID: device }
  const all = [
    { command: { defineVariablesCommand: { env: variables } }, status: "COMPLETED" },
    { command: { applyConfigurationCommand: { config: { appId: "com.acme", name } } }, status: "COMPLETED" },
    ...steps.map((status, index) => ({
      command: { tapOnElement: { selector: { textRegex: `Step ${index + 1}` } } },
      status
    }))
  ]
  const commands = all.map(({ command, status }, sequenceNumber) => ({
    command,
    metadata: {
      status,
      timestamp: at + sequenceNumber * 1000,
      duration: 900,
      sequenceNumber,
      ...(status === "FAILED" ? { error: { message: "Element not found" } } : {})
    }
  }))
  return JSON.stringify(commands, null, 2)
}

interface SuiteMade {
  readonly device?: string
  /** When it began, as the clock on the wall of its machine shows it. */
  readonly at?: string
  readonly seconds?: number
}

/** A test case of a report of Maestro. */
export const flowCase = (file: string, status?: string, inner = ""): string =>
  `<testcase id="${file}" name="${file.replace(/^.*\/|\.yaml$/g, "")}" file="${file}" time="3"${
    status === undefined ? "" : ` status="${status}"`
  }>${inner}</testcase>`

export const suite = (
  cases: ReadonlyArray<string>,
  { at, device = "Pixel 7 - Android 14 - emulator-5554", seconds = 30 }: SuiteMade = {}
): string =>
  `  <testsuite name="Test Suite" device="${device}" tests="${cases.length}" time="${seconds}"${
    at === undefined ? "" : ` timestamp="${at}"`
  }>\n${cases.map((one) => `    ${one}\n`).join("")}  </testsuite>\n`

export const report = (...suites: ReadonlyArray<string>): string =>
  `<?xml version='1.0' encoding='UTF-8'?>\n<testsuites>\n${suites.join("")}</testsuites>\n`

/** A report of jest-junit. */
export const jestJunit = (cases: Readonly<Record<string, string>>): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="jest tests" tests="${Object.keys(cases).length}">\n  <testsuite name="A" skipped="0" timestamp="2026-11-20T10:00:00" tests="${Object.keys(cases).length}">\n${Object.entries(
    cases
  )
    .map(([name, inner]) => `    <testcase classname="${name}" name="${name}" time="1">${inner}</testcase>\n`)
    .join("")}  </testsuite>\n</testsuites>\n`

/** The results of Jest: the tests of each file, with their statuses. */
export const jest = (
  files: Readonly<Record<string, Readonly<Record<string, string>>>>,
  more: Readonly<Record<string, unknown>> = {}
): string =>
  JSON.stringify({
    numTotalTestSuites: Object.keys(files).length,
    startTime: began,
    success: !JSON.stringify(files).includes('"failed"'),
    testResults: Object.entries(files).map(([name, tests]) => ({
      name: `/work/app/${name}`,
      startTime: began,
      endTime: began + 5000,
      status: Object.values(tests).includes("failed") ? "failed" : "passed",
      message: "",
      assertionResults: Object.entries(tests).map(([fullName, status]) => ({
        fullName,
        status,
        duration: 100,
        failureMessages: status === "failed" ? ["Error: no wind"] : []
      }))
    })),
    ...more
  })

/** What happened in a run of Detox, in its order. */
type Happened =
  | { readonly jest: "begins" | "passed" | "failed" }
  | { readonly file: string }
  | { readonly test: string; readonly ends?: string; readonly invocation?: number }
  | { readonly ends: "file" | "Detox" }

/** The events of a run as Detox writes them: into its trace, and before that into its logs. */
const events = (all: ReadonlyArray<Happened>) => {
  let at = began
  const environment = { cat: "lifecycle,jest-environment", pid: 2 }
  const cli = { cat: "lifecycle,cli", pid: 1 }
  return all
    .flatMap((one): ReadonlyArray<{ ph: string; name?: string; cat: string; pid: number; args: object }> => {
      if ("jest" in one) {
        if (one.jest === "begins") return [{ ph: "B", name: "jest --config e2e", ...cli, args: {} }]
        return [{ ph: "E", ...cli, args: { success: one.jest === "passed", code: one.jest === "passed" ? 0 : 1 } }]
      }
      if ("file" in one) {
        return [
          { ph: "B", name: one.file, ...environment, args: {} },
          { ph: "B", name: "run the tests", ...environment, args: {} }
        ]
      }
      if ("test" in one) {
        const { ends, invocation = 1, test } = one
        const begin = {
          ph: "B",
          name: test,
          ...environment,
          args: { context: "test", fullName: test, invocations: invocation }
        }
        return ends === undefined ? [begin] : [begin, { ph: "E", ...environment, args: { status: ends } }]
      }
      const end = { ph: "E", ...environment, args: { success: true } }
      return one.ends === "file" ? [end, end] : [{ ph: "E", cat: "lifecycle", pid: 1, args: {} }]
    })
    .map((event) => ({ ...event, at: (at += 1000) }))
}

/** `detox.trace.json`: whole, or as it is left where nothing ended it. */
export const trace = (all: ReadonlyArray<Happened>, end = "\n]\n"): string =>
  `[\n${events(all)
    .map(({ at, ...event }) => `\t${JSON.stringify({ ...event, tid: 0, ts: at * 1000 })}`)
    .join(",\n")}${end}`

/** `….detox.jsonl`, which Detox leaves when it is ended by a signal. */
export const detoxLog = (all: ReadonlyArray<Happened>): string =>
  events(all)
    .map(({ args, at, name = "", ...event }) =>
      JSON.stringify({ ...event, ...args, tid: 0, msg: name, time: new Date(at).toISOString() })
    )
    .join("\n")
