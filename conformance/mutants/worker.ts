/** Tries mutants: `node conformance/mutants/worker.ts ID… SEED:PLACE…`. Each is a message to the process that forked this one, see `Tried`. */
import { Effect, Schema } from "effect"
import { complaints, Trial, tryDrawn } from "./trials.ts"
import { draw } from "./drawn.ts"
import { mutants } from "./index.ts"

/** A run waits for a second in some checks, so several run at the same time. */
const sideBySide = 4

const encode = Schema.encodeSync(Trial)
const names = new Set(process.argv.slice(2))
const send = (trial: Trial) => process.send?.(encode(trial))

/** The names of drawn mutants have a number at their end. */
const trials = [
  ...mutants
    .filter(({ id }) => names.has(id))
    .map((one) => Effect.map(complaints(one), (complaints) => send({ mutant: one.id, complaints }))),
  ...[...names].filter((name) => /^\d+:\d+$|#/.test(name)).map((name) => Effect.map(tryDrawn(draw(name)), send))
]

await Effect.runPromise(Effect.all(trials, { concurrency: sideBySide, discard: true }))
