/** The promises of every list: its order, its limit, and that it continues after any record of it. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"

/** The ids of records. */
export const idsOf = <Id extends string>(all: ReadonlyArray<{ readonly id: Id }>): Array<Id> => all.map(({ id }) => id)

/** Asserts that a list is exactly these, in this order, and within every limit the first of these after any of them. */
export const assertPages = Effect.fnUntraced(function* <A, E, R>(
  all: ReadonlyArray<A>,
  page: (limit: number, after: A | undefined) => Effect.Effect<ReadonlyArray<A>, E, R>
) {
  for (const after of [undefined, ...all]) {
    const rest = after === undefined ? all : all.slice(all.indexOf(after) + 1)
    for (let limit = 1; limit <= all.length + 1; limit++) {
      assert.deepStrictEqual(yield* page(limit, after), rest.slice(0, limit))
    }
  }
})

/** Asserts that a list that continues nowhere is exactly these, in this order, and within every limit the first of these. */
export const assertFirst = <A, E, R>(
  all: ReadonlyArray<A>,
  first: (limit: number) => Effect.Effect<ReadonlyArray<A>, E, R>
) =>
  Effect.forEach(
    Array.from({ length: all.length + 1 }, (_, index) => index + 1),
    (limit) => Effect.map(first(limit), (found) => assert.deepStrictEqual(found, all.slice(0, limit)))
  )
