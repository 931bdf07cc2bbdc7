/** Tries mutants: `node conformance/mutants/worker.ts BASE:ID… SEED:PLACE…`. Each is a message to the process that forked this one, see `Tried`. */
import { Effect, Schema } from "effect"
import { planted } from "./bases/planted.ts"
import { complaints } from "./complaints.ts"
import { draw } from "./drawn/draw.ts"
import { tryDrawn } from "./tryDrawn.ts"
import { mutants } from "./index.ts"
import { Trial } from "./Trial.ts"

/** A run waits for a second in some checks, so several run at the same time. */
const sideBySide = 4

const encode = Schema.encodeSync(Trial)
const names = new Set(process.argv.slice(2))
const send = (trial: Trial) => process.send?.(encode(trial))

/** The names of drawn mutants have a number at their end. */
const trials = [
  ...planted(mutants)
    .filter(({ name }) => names.has(name))
    .map((one) =>
      Effect.map(complaints(one.base, one), (complaints) => send({ base: one.base.name, mutant: one.id, complaints }))
    ),
  ...[...names].filter((name) => /^\d+:\d+$|#/.test(name)).map((name) => Effect.map(tryDrawn(draw(name)), send))
]

await Effect.runPromise(Effect.all(trials, { concurrency: sideBySide, discard: true }))
