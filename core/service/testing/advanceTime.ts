import { Duration, Effect } from "effect"
import { TestClock } from "effect/testing"

/** Another turn of the event loop: the promises of the store in memory that were under way have ended by then. */
const turn = Effect.promise(() => new Promise<void>((resolve) => void setImmediate(resolve)))

/** Lets time pass, a step after the other. What happens in one, in the store too, is over before the next. */
export const advanceTime = (time: Duration.Input, step: Duration.Input = "1 second") =>
  Effect.repeat(Effect.andThen(TestClock.adjust(step), Effect.repeat(turn, { times: 20 })), {
    times: Math.ceil(Duration.toMillis(time) / Duration.toMillis(step)) - 1
  })
