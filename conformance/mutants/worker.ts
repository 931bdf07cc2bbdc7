/** Tries the mutants of these ids: `node conformance/mutants/worker.ts ID…`. Each is a line of JSON, see `Tried`. */
import { Effect, Schema } from "effect"
import { complaints } from "./complaints.ts"
import { mutants } from "./index.ts"
import { Tried } from "./Tried.ts"

/** A run sometimes waits for a second, so several run at the same time. */
const sideBySide = 3

const encode = Schema.encodeSync(Schema.fromJsonString(Tried))
const ids = new Set(process.argv.slice(2))

await Effect.runPromise(
  Effect.forEach(
    mutants.filter(({ id }) => ids.has(id)),
    ({ front, id }) =>
      Effect.map(complaints(front), (complaints) => process.stdout.write(`${encode({ mutant: id, complaints })}\n`)),
    { concurrency: sideBySide, discard: true }
  )
)
