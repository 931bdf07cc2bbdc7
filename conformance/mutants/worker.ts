/** Tries mutants: `node conformance/mutants/worker.ts BASE:ID…`. Each is a message to the process that forked this one, see `Tried`. */
import { Effect, Schema } from "effect"
import { planted } from "./bases/planted.ts"
import { complaints } from "./complaints.ts"
import { mutants } from "./index.ts"
import { Trial } from "./Trial.ts"

/** A run waits for a second in some checks, so several run at the same time. */
const sideBySide = 4

const encode = Schema.encodeSync(Trial)
const names = new Set(process.argv.slice(2))

await Effect.runPromise(
  Effect.forEach(
    planted(mutants).filter(({ name }) => names.has(name)),
    (one) =>
      Effect.map(complaints(one.base, one), (complaints) =>
        process.send?.(encode({ base: one.base.name, mutant: one.id, complaints }))
      ),
    { concurrency: sideBySide, discard: true }
  )
)
