import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { it } from "../../core/testing/layer.ts"
import { layerRandom as layer } from "./requestContext.ts"

it.effect("random bytes have the size that was asked for and never come twice, also past the end of the pool", () =>
  Effect.gen(function* () {
    const { randomBytes } = yield* SecureRandom
    const sizes = [...Array.from({ length: 600 }, () => 16), 5000, 4096, 31]
    const given = yield* Effect.forEach(sizes, randomBytes)
    assert.deepStrictEqual(
      given.map(({ length }) => length),
      sizes
    )
    assert.strictEqual(new Set(given.map((bytes) => bytes.join())).size, sizes.length)
  }).pipe(Effect.provide(layer))
)

it.effect("what was given out isn't changed by what is given out after it", () =>
  Effect.gen(function* () {
    const { randomBytes } = yield* SecureRandom
    const first = yield* randomBytes(32)
    const before = first.join()
    yield* Effect.repeat(randomBytes(32), { times: 300 })
    assert.strictEqual(first.join(), before)
  }).pipe(Effect.provide(layer))
)
