import { Data, Effect, References } from "effect"
import { Command, Flag } from "effect/cli"
import type { Finding } from "../../node/doctor/index.ts"
import { print } from "../parts/print.ts"
import { serveFlags, serveSettings } from "./serve.ts"

/** The doctor found a problem; the printed lines describe it. */
class Unwell extends Data.TaggedError("Unwell")<{ readonly message: string }> {}

const line = (finding: Finding): string =>
  finding.ok ? `✓ ${finding.name}: ${finding.detail}` : `✗ ${finding.name}: ${finding.detail}. Fix: ${finding.hint}`

const deep = Flag.Boolean("deep").pipe(
  Flag.withDescription("Also read every object in the data folder, and name those that differ from their upload"),
  Flag.withDefault(false)
)

export const doctor = Command.make("doctor", { ...serveFlags, deep }, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const { examine, examineDeeply } = yield* Effect.promise(() => import("../../node/doctor/index.ts"))
    // The doctor prints its own explanation of each failure, so the engines' logs would only repeat it.
    const examination = input.deep ? examineDeeply(settings) : examine(settings)
    const findings = yield* Effect.provideService(examination, References.MinimumLogLevel, "None")
    yield* print(input.json, findings, findings.map(line))
    const wrong = findings.filter(({ ok }) => !ok).length
    if (wrong > 0) return yield* new Unwell({ message: `${wrong} of ${findings.length} checks found a problem.` })
  })
).pipe(Command.withDescription("Check the settings and every engine that they name"))
