import { command } from "../command/Command.ts"
import { unusable } from "../command/Stopped.ts"
import { importOptions } from "../import/importOptions.ts"

/** `import maestro`: the flows that `maestro test` ran. */
export const importMaestro = command({
  name: "import maestro",
  summary: "Registers the flows that Maestro ran, with steps and recordings",
  takes: "PATH…",
  about: `PATH is what Maestro wrote: the folder of --debug-output or --test-output-dir, or ~/.maestro/tests;
reports of --format junit; or folders that hold any of them. Give as many as there are.
A flow with a folder has its steps, screenshots, videos and logs; one of a report alone has its
result. A flow that a report says ran again on its device is one run with its attempts. A flow
of which nothing tells how it ended is registered as failed: interrupted.

What a flow types and the variables that look like secrets (--env) are hidden in all that is sent.
Running it again registers nothing twice.
The key needs the scopes preview_upload and test_runs.`,
  options: importOptions,
  run: async ({ positionals, values }, context) => {
    if (positionals.length === 0) throw unusable("import maestro needs the files and folders that Maestro wrote.")
    const { runImport } = await import("../import/runImport.ts")
    const { importMaestro } = await import("../import/maestro/importMaestro.ts")
    return runImport(
      {
        name: "Maestro",
        paths: positionals,
        writes:
          "It writes them to ~/.maestro/tests, or to the folder of --debug-output or --test-output-dir; and with\n" +
          "`maestro test --format junit --output report.xml`, a report.",
        read: (mask, log) => importMaestro(positionals, context.cwd, mask, log)
      },
      values,
      context
    )
  }
})
