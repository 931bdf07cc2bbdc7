import { Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { failuresBy, type Failures } from "../sql/failures.ts"
import { isOfKind } from "./errorCodes.ts"

/** Another program writes to the file, such as one that an operator opened it with; another host can't. */
const isBusy = isOfKind("busy", "locked")

const isFull = isOfKind("full")

/** States of the disk and not faults of a statement. */
const isPassing = isOfKind("busy", "locked", "readonly", "io", "cantOpen")

/** Waits up to two seconds while another program writes to the file. */
const patiently = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.retry(effect, {
    while: (error) => SqlError.isSqlError(error) && isBusy(error.reason.cause),
    schedule: Schedule.spaced("20 millis"),
    times: 100
  })

const failures = failuresBy({
  isFull: ({ reason }) => isFull(reason.cause),
  isPassing: ({ reason }) => isPassing(reason.cause),
  describe: ({ reason }) => `The database can't be used: ${String(reason.cause)}`
})

/** What becomes of a statement or transaction that fails. When the disk is full or fails, nothing was stored. */
export const { orUnavailable, orWriteFailure }: Failures = {
  orUnavailable: (effect) => failures.orUnavailable(patiently(effect)),
  orWriteFailure: (effect) => failures.orWriteFailure(patiently(effect))
}
