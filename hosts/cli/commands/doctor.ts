import { Data, Effect, References } from "effect"
import { Command, Flag } from "effect/cli"
import type { Finding } from "../../node/doctor/index.ts"
import { print } from "../parts/print.ts"
import { serveFlags, serveSettings } from "./serve.ts"

/** Something is wrong; the lines printed say what. */
class Unwell extends Data.TaggedError("Unwell")<{ readonly message: string }> {}

const line = (finding: Finding): string =>
  finding.ok
    ? `✓ ${finding.name}: ${finding.detail}`
    : `✗ ${finding.name}: ${finding.detail}. To mend it: ${finding.mend}`

const deep = Flag.Boolean("deep").pipe(
  Flag.withDescription("Also read every object in the data folder, and find those that aren't what was uploaded"),
  Flag.withDefault(false)
)

export const doctor = Command.make("doctor", { ...serveFlags, deep }, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const { examine, examineDeeply } = yield* Effect.promise(() => import("../../node/doctor/index.ts"))
    // What the engines log of a failure is what the doctor says in its own words.
    const examination = input.deep ? examineDeeply(settings) : examine(settings)
    const findings = yield* Effect.provideService(examination, References.MinimumLogLevel, "None")
    yield* print(input.json, findings, findings.map(line))
    const wrong = findings.filter(({ ok }) => !ok).length
    if (wrong > 0) return yield* new Unwell({ message: `${wrong} of ${findings.length} checks found something wrong.` })
  })
).pipe(Command.withDescription("Check the settings and every engine that they name"))
