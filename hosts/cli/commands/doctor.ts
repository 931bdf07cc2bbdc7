import { Data, Effect, References } from "effect"
import { Command } from "effect/cli"
import type { Finding } from "../../node/doctor/index.ts"
import { print } from "../parts/print.ts"
import { serveFlags, serveSettings } from "./serve.ts"

/** Something is wrong; the lines printed say what. */
class Unwell extends Data.TaggedError("Unwell")<{ readonly message: string }> {}

const line = (finding: Finding): string =>
  finding.ok
    ? `✓ ${finding.name}: ${finding.detail}`
    : `✗ ${finding.name}: ${finding.detail}. To mend it: ${finding.mend}`

export const doctor = Command.make("doctor", serveFlags, (input) =>
  Effect.gen(function* () {
    const settings = yield* serveSettings(input)
    const { examine } = yield* Effect.promise(() => import("../../node/doctor/index.ts"))
    // What the engines log of a failure is what the doctor says in its own words.
    const findings = yield* Effect.provideService(examine(settings), References.MinimumLogLevel, "None")
    yield* print(input.json, findings, findings.map(line))
    const wrong = findings.filter(({ ok }) => !ok).length
    if (wrong > 0) return yield* new Unwell({ message: `${wrong} of ${findings.length} checks found something wrong.` })
  })
).pipe(Command.withDescription("Check the settings and every engine that they name"))
