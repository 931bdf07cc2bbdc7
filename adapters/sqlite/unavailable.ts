import { Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "../../core/model/Problem.ts"
import { isOfKind } from "./errorCodes.ts"

const isSqlError = <E>(error: E): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error)

/** Another program writes to the file, such as one that an operator opened it with; another host can't. */
const isBusy = isOfKind("busy", "locked")

const isFull = isOfKind("full")
const full = new Unavailable({
  detail: "The disk of the service is full, so nothing was stored. Try again when there is room."
})

/** States of the disk and not faults of a statement. */
const isPassing = isOfKind("busy", "locked", "readonly", "io", "full", "cantOpen")

/**
 * Turns the failures of a port's statement or transaction into what the port promises. While another program writes to
 * the file, it is retried for two seconds. When the disk is full or fails, it fails with `Unavailable`, a log line says
 * why, and nothing was stored. Every other failure is a defect.
 */
export const orUnavailable = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  effect.pipe(
    Effect.retry({
      while: (error) => SqlError.isSqlError(error) && isBusy(error.reason.cause),
      schedule: Schedule.spaced("20 millis"),
      times: 100
    }),
    Effect.catchIf(isSqlError<E>, (error) =>
      isPassing(error.reason.cause)
        ? Effect.andThen(
            Effect.logWarning(`The database can't be used: ${String(error.reason.cause)}`),
            Effect.fail(isFull(error.reason.cause) ? full : Unavailable.answer)
          )
        : Effect.die(error)
    )
  )
