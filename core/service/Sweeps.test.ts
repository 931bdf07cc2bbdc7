import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { withStoredCursor } from "./Sweeps.ts"

it.effect("a job continues from its stored cursor, and starts over from the cursor of an earlier version", () =>
  Effect.gen(function* () {
    const steps: Array<number> = []
    const { step } = withStoredCursor({
      name: "collect_garbage",
      cursor: Schema.Struct({ nth: Schema.Int }),
      first: { nth: 1 },
      step: ({ nth }) => Effect.sync(() => ({ swept: [], next: steps.push(nth) < 2 ? { nth: nth + 1 } : undefined }))
    })
    const options = { dryRun: false, foreign: false }
    const { next } = yield* step(undefined, options)
    assert.deepStrictEqual(yield* step(next, options), { swept: [] })
    yield* step('{"page":2}', options)
    assert.deepStrictEqual(steps, [1, 2, 1])
  })
)
