import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"

/** Another turn of the event loop: the promises of the store in memory that were under way have ended by then. */
const turn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

/** Lets time pass, a second after the other. What happens in one, in the store too, is over before the next. */
export const pass = (time: Duration.Input) =>
  Effect.repeat(Effect.andThen(TestClock.adjust("1 second"), Effect.repeat(turn, { times: 20 })), {
    times: Duration.toSeconds(time) - 1
  })
