import { command } from "../command/Command.ts"
import { unusable } from "../command/Stopped.ts"
import { importOptions } from "../import/importOptions.ts"

/** `import detox`: the tests that `detox test` ran. */
export const importDetox = command({
  name: "import detox",
  summary: "Registers the tests that Detox ran, with steps and recordings",
  takes: "PATH…",
  about: `PATH is what Detox and Jest wrote: the folder of artifacts with detox.trace.json, which lists every
attempt and its steps; the results of \`detox test … -- --json --outputFile=results.json\`, or of
jest-stare; a report of jest-junit; or folders that hold any of them. Give as many as there are.
Detox writes a trace with \`--record-logs all\`, and screenshots with \`--take-screenshots all\`.
A test of which nothing tells how it ended is registered as failed: interrupted.

What a test types is hidden in all that is sent. Running it again registers nothing twice.
The key needs the scopes preview_upload and test_runs.`,
  options: {
    artifacts: {
      type: "string",
      multiple: true,
      value: "DIR",
      help: "a folder of artifacts that no PATH holds; may be given again"
    },
    ...importOptions
  },
  run: async ({ positionals, values }, context) => {
    const artifacts = values.artifacts ?? []
    if (positionals.length + artifacts.length === 0) {
      throw unusable("import detox needs the files and folders that Detox and Jest wrote.")
    }
    const { runImport } = await import("../import/runImport.ts")
    const { importDetox } = await import("../import/detox/importDetox.ts")
    return runImport(
      {
        name: "Detox",
        paths: positionals,
        writes:
          "It writes them to ./artifacts, or to the folder of --artifacts-location (detox.trace.json with --record-logs all);\n" +
          "and Jest, with `detox test … -- --json --outputFile=results.json`, to results.json.",
        read: (mask, log) => importDetox(positionals, artifacts, context.cwd, mask, log)
      },
      values,
      context
    )
  }
})
