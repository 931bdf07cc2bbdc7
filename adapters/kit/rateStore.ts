import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { RateStore, type RateRequest } from "../../core/ports/RateStore.ts"
import { many } from "./parts/commits.ts"
import { nameOf } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

const start = Date.UTC(2150, 0, 1)

/** A bucket that takes ten seconds to fill; each request consumes one. */
const tenOf = (bucket: string) => (fields: Partial<RateRequest> & { readonly at?: number }) =>
  RateStore.use((store) =>
    Effect.map(
      store.consume({ bucket, cost: 1000, capacity: 10_000, ...fields, now: start + (fields.at ?? 0) }),
      (end) => end - start
    )
  )

export const rateStoreCases = (it: Cases<RateStore>) => {
  it.effect("a request moves the end by its cost, from now where the bucket is full", function* () {
    const take = tenOf(nameOf("bucket"))
    assert.strictEqual(yield* take({}), 1000)
    assert.strictEqual(yield* take({ at: 100, cost: 2500 }), 3500)
    assert.strictEqual(yield* take({ at: 3600 }), 4600)
    assert.strictEqual(yield* take({ at: 4600 }), 5600)
  })

  it.effect("a request without room consumes nothing and answers where its end would be", function* () {
    const take = tenOf(nameOf("bucket"))
    assert.strictEqual(yield* take({ cost: 9500 }), 9500)
    for (const at of [0, 400, 499]) assert.strictEqual(yield* take({ at }), 10_500)
    assert.strictEqual(yield* take({ at: 499, cost: 900 }), 10_400)
    assert.strictEqual(yield* take({ at: 500 }), 11_400)
  })

  it.effect("parts of a millisecond count", function* () {
    const take = tenOf(nameOf("bucket"))
    assert.closeTo(yield* take({ cost: 0.25 }), 0.25, 0.01)
    assert.closeTo(yield* take({ cost: 0.25, at: 0.125 }), 0.5, 0.01)
  })

  it.effect("a clock that is behind changes nothing of what was consumed", function* () {
    const take = tenOf(nameOf("bucket"))
    yield* take({ at: 5000 })
    assert.strictEqual(yield* take({ at: 0 }), 7000)
  })

  it.effect("each bucket is consumed separately", function* () {
    const [one, other] = [tenOf(nameOf("bucket")), tenOf(nameOf("bucket"))]
    yield* one({ cost: 9000 })
    assert.strictEqual(yield* other({}), 1000)
    assert.strictEqual(yield* one({}), 10_000)
  })

  it.effect("many requests at once are all counted", function* () {
    const take = tenOf(nameOf("bucket"))
    const ends = yield* Effect.forEach(many, () => take({ capacity: 20_000 }), { concurrency: "unbounded" })
    const granted = ends.filter((end) => end <= 20_000).toSorted((a, b) => a - b)
    assert.deepStrictEqual(
      granted,
      Array.from({ length: 20 }, (_, index) => (index + 1) * 1000)
    )
  })

  it.effect("only full buckets are deleted, and they stay full", function* () {
    const store = yield* RateStore
    const [full, filling] = [tenOf(nameOf("bucket")), tenOf(nameOf("bucket"))]
    yield* full({ cost: 1000 })
    yield* filling({ cost: 1000.5 })
    assert.strictEqual(yield* store.deleteFull(start + 1000, 10), 1)
    assert.closeTo(yield* filling({ at: 1000 }), 2000.5, 0.01)
    assert.strictEqual(yield* full({ at: 0 }), 1000)
  })

  it.effect("no more buckets are deleted than asked, those first that were full first", function* () {
    const store = yield* RateStore
    const [last, first, next] = [tenOf(nameOf("bucket")), tenOf(nameOf("bucket")), tenOf(nameOf("bucket"))]
    yield* last({ cost: 3000 })
    yield* first({ cost: 1000 })
    yield* next({ cost: 2000 })
    assert.strictEqual(yield* store.deleteFull(start + 3000, 2), 2)
    // By a clock that is behind, a bucket that is there is as empty as it was.
    assert.deepStrictEqual(
      [yield* first({ at: 0 }), yield* next({ at: 0 }), yield* last({ at: 0 })],
      [1000, 1000, 4000]
    )
    assert.strictEqual(yield* store.deleteFull(start + 9000, 10), 3)
    assert.strictEqual(yield* store.deleteFull(start + 9000, 10), 0)
  })

  it.onTwoHosts("hosts share what is consumed", function* (other) {
    const take = tenOf(nameOf("bucket"))
    yield* take({ cost: 4000 })
    assert.strictEqual(yield* Effect.provide(take({}), other), 5000)
    assert.strictEqual(yield* take({}), 6000)
  })
}
