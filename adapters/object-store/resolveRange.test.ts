import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { resolveRange } from "./resolveRange.ts"

describe("resolveRange", () => {
  it.effect.each([
    { range: undefined, sizeBytes: 10, offset: 0, length: 10 },
    { range: undefined, sizeBytes: 0, offset: 0, length: 0 },
    { range: { offset: 0 }, sizeBytes: 10, offset: 0, length: 10 },
    { range: { offset: 9 }, sizeBytes: 10, offset: 9, length: 1 },
    { range: { offset: 2, length: 3 }, sizeBytes: 10, offset: 2, length: 3 },
    { range: { offset: 8, length: 3 }, sizeBytes: 10, offset: 8, length: 2 },
    { range: { suffix: 3 }, sizeBytes: 10, offset: 7, length: 3 },
    { range: { suffix: 10 }, sizeBytes: 10, offset: 0, length: 10 },
    { range: { suffix: 11 }, sizeBytes: 10, offset: 0, length: 10 }
  ])("$range of $sizeBytes bytes", ({ length, offset, range, sizeBytes }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* resolveRange(range, sizeBytes), { offset, length })
    })
  )

  it.effect.each([
    { range: { offset: 10 }, sizeBytes: 10 },
    { range: { offset: 11, length: 5 }, sizeBytes: 10 },
    { range: { offset: 3, length: 0 }, sizeBytes: 10 },
    { range: { suffix: 0 }, sizeBytes: 10 },
    { range: { offset: 0 }, sizeBytes: 0 },
    { range: { suffix: 5 }, sizeBytes: 0 }
  ])("$range holds no byte of $sizeBytes", ({ range, sizeBytes }) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* Effect.flip(resolveRange(range, sizeBytes))).sizeBytes, sizeBytes)
    })
  )
})
