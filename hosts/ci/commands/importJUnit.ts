import { command } from "../command/Command.ts"
import { unusable } from "../command/Stopped.ts"
import { importOptions } from "../import/importOptions.ts"

const kinds = ["maestro", "detox"] as const

/** `import junit`: the tests of any JUnit report. */
export const importJUnit = command({
  name: "import junit",
  summary: "Registers the tests of any JUnit report: Playwright, WebdriverIO, Espresso, XCUITest, …",
  takes: "PATH…",
  about: `PATH is a JUnit report, or a folder that holds some (*.xml, *.junit, *.gz, or by their content).
Each test case becomes a run with its class,
file, duration, failure and output. Files that its output names as [[ATTACHMENT|path]] are sent if they
lie below the folder of the report or below a folder PATH, and don't look like secrets.

A host knows runs of two kinds, so --kind is required: maestro for flows of an app, detox for tests in code.
import maestro and import detox read more of what those two tools write.
Running it again registers nothing twice.
The key needs the scopes preview_upload and test_runs.`,
  options: {
    kind: { type: "string", value: kinds.join("|"), help: "the kind of the runs; required" },
    ...importOptions
  },
  run: async ({ positionals, values }, context) => {
    const kind = kinds.find((one) => one === values.kind)
    if (kind === undefined) throw unusable(`import junit needs --kind ${kinds.join(" or --kind ")}.`)
    if (positionals.length === 0) throw unusable("import junit needs JUnit reports, or folders that hold some.")
    const { runImport } = await import("../import/runImport.ts")
    const { importJUnit } = await import("../import/junit/importJUnit.ts")
    return runImport(
      {
        name: "JUnit",
        paths: positionals,
        writes: "The first element of a JUnit report is testsuites or testsuite, with at least one testcase.",
        read: (_mask, log) => importJUnit(kind, positionals, context.cwd, log)
      },
      values,
      context
    )
  }
})
