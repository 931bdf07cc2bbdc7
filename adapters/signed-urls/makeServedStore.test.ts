import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Stream } from "effect"
import { it } from "../../core/testing/layer.ts"
import { exactLength } from "./makeServedStore.ts"

const chunks = (...lengths: ReadonlyArray<number>) =>
  Stream.fromIterable(lengths.map((length) => new Uint8Array(length)))
const lengthOf = <E>(bytes: Stream.Stream<Uint8Array, E>) =>
  Stream.runFold(
    bytes,
    () => 0,
    (total, chunk) => total + chunk.byteLength
  )

describe("exactLength", () => {
  it.effect.each([[], [0], [0, 0]])("lets no bytes through where none are meant: %j", function* (lengths) {
    assert.strictEqual(yield* lengthOf(exactLength(0)(chunks(...lengths))), 0)
  })

  it.effect.each([[5], [2, 3], [1, 1, 1, 1, 1], [5, 0], [0, 5]])(
    "lets the announced bytes through: %j",
    function* (lengths) {
      assert.strictEqual(yield* lengthOf(exactLength(5)(chunks(...lengths))), 5)
    }
  )

  it.effect.each([[], [4], [6], [5, 1], [2, 2], [2, 4]])("refuses more and fewer: %j", function* (lengths) {
    assert.strictEqual((yield* Effect.flip(lengthOf(exactLength(5)(chunks(...lengths)))))._tag, "WrongLength")
  })

  it.effect("fails at the first chunk beyond the length, without waiting for the end", function* () {
    const passed: Array<number> = []
    const endless = Stream.concat(chunks(3, 3), Stream.never)
    const exit = yield* Effect.exit(
      Stream.runForEach(exactLength(5)(endless), ({ byteLength }) => Effect.sync(() => passed.push(byteLength)))
    )
    assert.isTrue(Exit.isFailure(exit))
    assert.deepStrictEqual(passed, [3])
  })

  it.effect("counts from zero each time it runs", function* () {
    const five = exactLength(5)(chunks(2, 3))
    assert.strictEqual(yield* lengthOf(five), 5)
    assert.strictEqual(yield* lengthOf(five), 5)
  })

  it.effect("passes on a failure of the bytes", function* () {
    const broken = Stream.concat(chunks(2), Stream.fail("broken" as const))
    assert.strictEqual(yield* Effect.flip(lengthOf(exactLength(5)(broken))), "broken")
  })
})
