/** Tries mutants: `node conformance/mutants/worker.ts SEED:PLACE…`. Each is a message to the process that forked this one, see `Tried`. */
import { Effect, Schema } from "effect"
import { Trial, tryDrawn } from "./trials.ts"
import { draw } from "./drawn.ts"

/** A run waits for a second in some checks, so several run at the same time. */
const sideBySide = 4

const encode = Schema.encodeSync(Trial)
const trials = process.argv
  .slice(2)
  .map((name) => Effect.map(tryDrawn(draw(name)), (trial) => process.send?.(encode(trial))))

await Effect.runPromise(Effect.all(trials, { concurrency: sideBySide, discard: true }))
