import { Effect } from "effect"
import { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import type { ObjectDriver } from "./ObjectDriver.ts"

type Logging<Fault> = Pick<ObjectDriver<Fault>, "isFull" | "log">

/** Logs a fault of a call that stores nothing. The caller gets `Unavailable`. */
export const unavailable =
  <Fault>({ log }: Logging<Fault>) =>
  (fault: Fault): Effect.Effect<never, Unavailable> =>
    Effect.andThen(log(fault), Effect.fail(Unavailable.answer))

/** Logs a fault of a call that stores something, which may have failed because there is no room. */
export const notStored =
  <Fault>(driver: Logging<Fault>) =>
  (fault: Fault): Effect.Effect<never, InsufficientStorage | Unavailable> =>
    driver.isFull?.(fault) === true
      ? Effect.andThen(driver.log(fault), Effect.fail(InsufficientStorage.ofObjects))
      : unavailable(driver)(fault)
