import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Stream } from "effect"
import { Gunzip } from "../ports/Gunzip.ts"
import { decompressionBudget } from "./decompressionBudget.ts"
import { streamDigest } from "./streamDigest.ts"

describe("a digest of passing gzip", () => {
  it.effect("is computed when the bytes end, so that later steps don't wait for it", () =>
    Effect.gen(function* () {
      const mayEnd = Latch.makeUnsafe(false)
      const digest = yield* streamDigest({ contentType: "application/gzip" }, decompressionBudget(100)).pipe(
        Effect.provideService(Gunzip, (compressed) => Stream.concat(compressed, Stream.fromEffectDrain(mayEnd.await)))
      )
      const passing = yield* Effect.forkChild(Stream.runCollect(digest.passThrough(Stream.succeed(new Uint8Array(3)))))
      for (let time = 0; time < 100; time++) yield* Effect.yieldNow
      assert.isUndefined(passing.pollUnsafe())
      yield* mayEnd.open
      assert.deepStrictEqual(yield* Fiber.join(passing), [new Uint8Array(3)])
      assert.isDefined(yield* digest.digest)
    })
  )
})
