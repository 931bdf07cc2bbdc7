import { Console, Effect, Schema } from "effect"
import { Argument, Command } from "effect/cli"
import { check } from "./command/check.ts"
import { Ended } from "./command/Ended.ts"
import { readText } from "./command/files.ts"
import { flags } from "./command/flags.ts"
import { Refused } from "./config/Refused.ts"
import { paintFor } from "./report/paint.ts"
import { decodeReport } from "./verify/decode.ts"
import { diff as difference } from "./verify/diff.ts"
import { renderDiff } from "./verify/renderDiff.ts"
import { renderVerification } from "./verify/renderVerification.ts"
import { verify as verifyReport } from "./verify/verify.ts"

const report = (name: string) => Argument.String(name).pipe(Argument.withDescription("A report of --report-json"))

const parsed = Effect.fnUntraced(function* (file: string) {
  return yield* Effect.mapError(
    Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))(yield* readText(file)),
    () => new Refused({ message: `The file ${file} is not JSON` })
  )
})

const readReport = Effect.fnUntraced(function* (file: string) {
  return yield* Effect.mapError(
    decodeReport(yield* parsed(file)),
    ({ sentences }) => new Refused({ message: `The file ${file} is no report: ${sentences[0] ?? "it doesn't fit"}` })
  )
})

const verify = Command.make("verify", { report: report("report.json") }, (input) =>
  Effect.gen(function* () {
    const verification = yield* verifyReport(yield* parsed(input.report))
    yield* Console.log(renderVerification(verification, paintFor(process.stdout)).trimEnd())
    if (verification.verdict !== "confirmed") {
      return yield* new Ended({ code: 1, message: `${input.report} is not confirmed` })
    }
  })
).pipe(Command.withDescription("Judge a recorded run again, offline: exit 0 when it is confirmed"))

const diff = Command.make("diff", { before: report("before.json"), after: report("after.json") }, (input) =>
  Effect.gen(function* () {
    const changed = difference(yield* readReport(input.before), yield* readReport(input.after))
    yield* Console.log(renderDiff(changed, paintFor(process.stdout)).trimEnd())
  })
).pipe(Command.withDescription("Tell what changed from one report to another"))

/**
 * `slipway conformance`: whether an implementation of the interface, in any language, keeps it. Exit codes: 0 conformant,
 * 1 violation, 2 a config, file or flag that doesn't fit, 3 target unreachable, 4 the suite's own fault; a failure carries
 * its code as `Runtime.errorExitCode`.
 */
export const conformance = Command.make("conformance", flags, check).pipe(
  Command.withDescription("Check an implementation of the interface, in any language, over HTTP"),
  Command.withSubcommands([verify, diff]),
  Command.withExamples([
    { command: "slipway conformance --init", description: "Ask for a config and write it" },
    {
      command: "slipway conformance --url https://staging.example --config vendor.json --report-html report.html",
      description: "Check it, and write a page about it"
    },
    { command: "slipway conformance --only builds.finalize.created", description: "Make one check alone" },
    { command: "slipway conformance verify report.json", description: "Judge a recorded run again, offline" }
  ])
)
