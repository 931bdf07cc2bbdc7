import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { flags } from "./command/check.ts"
import { commandName } from "./config/commandName.ts"

// What a command does is loaded when it runs: the other commands of `slipway` need not wait for the suite.
const checking = Effect.promise(() => import("./command/check.ts"))
const reading = Effect.promise(() => import("./command/check.ts"))

const report = (name: string) => Argument.String(name).pipe(Argument.withDescription("A report of --report-json"))

const verify = Command.make("verify", { report: report("report.json") }, (input) =>
  Effect.flatMap(reading, ({ verify }) => verify(input))
).pipe(Command.withDescription("Judge a recorded run again, offline: exit 0 when it is confirmed"))

const link = Flag.String("link").pipe(
  Flag.withDescription("Where the report is published: the badge links it"),
  Flag.optional
)

const badge = Command.make("badge", { report: report("report.json"), link }, (input) =>
  Effect.flatMap(reading, ({ badge }) => badge(input))
).pipe(Command.withDescription("Print the SVG badge of a report that verify confirms"))

const diff = Command.make("diff", { before: report("before.json"), after: report("after.json") }, (input) =>
  Effect.flatMap(reading, ({ diff }) => diff(input))
).pipe(
  Command.withDescription("Show what changed from one report to another: exit 1 when what passed before doesn't now")
)

/**
 * `slipway conformance`: whether an implementation of the interface, in any language, keeps it. Exit codes: 0 conformant,
 * 1 violation, 2 a config, file or flag that doesn't fit, 3 target unreachable, 4 the suite's own fault; a failure carries
 * its code as `Runtime.errorExitCode`.
 */
export const conformance = Command.make(commandName.slice(commandName.lastIndexOf(" ") + 1), flags, (input) =>
  Effect.flatMap(checking, ({ check }) => check(input))
).pipe(
  Command.withDescription("Check an implementation of the interface, in any language, over HTTP"),
  Command.withSubcommands([verify, diff, badge]),
  Command.withExamples([
    { command: `${commandName} --init`, description: "Ask for a config and write it" },
    {
      command: `${commandName} --url https://staging.example --config vendor.json --report-html report.html`,
      description: "Check it, and write a page about it"
    },
    { command: `${commandName} --only builds.finalize.created`, description: "Make one check alone" },
    { command: `${commandName} verify report.json`, description: "Judge a recorded run again, offline" }
  ])
)
