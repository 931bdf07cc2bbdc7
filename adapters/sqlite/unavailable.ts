import { Effect, Schedule } from "effect"
import { SqlError } from "effect/sql"
import { Unavailable } from "../../core/model/Problem.ts"
import { isOfKind } from "./errorCodes.ts"

const isSqlError = <E>(error: E): error is Extract<E, SqlError.SqlError> => SqlError.isSqlError(error)

/** Somebody else writes: a program that an operator has opened the file with, as no other host can. */
const isBusy = isOfKind("busy", "locked")

const isFull = isOfKind("full")
const full = new Unavailable({
  detail: "The disk of the service is full, so nothing was stored. Try again when there is room."
})

/** States of the disk, not of a statement. */
const isPassing = isOfKind("busy", "locked", "readonly", "io", "full", "cantOpen")

/**
 * Makes of a port's statement, or its transaction, what the port promises. While somebody else writes to the file it is
 * tried again, for two seconds. When the disk is full or fails, it fails with `Unavailable` and a line in the log says why;
 * nothing of it was done. Whatever else goes wrong is a defect.
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
