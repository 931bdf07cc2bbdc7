import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { measureLoopHold, shortestLoopHold } from "./loopHold.ts"

const cpuMs = () => {
  const { system, user } = process.threadCpuUsage()
  return (system + user) / 1000
}

/** Keeps the thread busy for so many milliseconds of its own CPU time. */
const busy = (milliseconds: number) =>
  Effect.sync(() => {
    const end = cpuMs() + milliseconds
    while (cpuMs() < end);
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
