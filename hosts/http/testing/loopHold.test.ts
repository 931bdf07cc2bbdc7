import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { measureLoopHold, shortestLoopHold } from "./loopHold.ts"

/** Keeps the thread busy for so long. */
const busy = (milliseconds: number) =>
  Effect.sync(() => {
    const end = performance.now() + milliseconds
    while (performance.now() < end);
  })

it.live("sees a turn of the event loop that takes long, and not several short ones", () =>
  Effect.gen(function* () {
    const short = Effect.repeat(
      Effect.andThen(
        busy(10),
        Effect.promise(() => new Promise(setImmediate))
      ),
      { times: 20 }
    )
    assert.isAtLeast((yield* measureLoopHold(busy(200))).heldMs, 100)
    assert.isBelow(yield* shortestLoopHold(short, 50), 50)
  })
)
