import { assert } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import { Effect, type Schema } from "effect"

/**
 * Succeeds when `holds` succeeds for every value that is tried, and fails with the smallest value for which it doesn't.
 */
export const forAll = <A, E, R>(
  values: Schema.Schema<A>,
  holds: (value: A) => Effect.Effect<unknown, E, R>,
  { runs, size }: { readonly runs: number; readonly size: number }
): Effect.Effect<void, never, R> =>
  Effect.gen(function* () {
    const property = (value: A) => Effect.as(Effect.catchDefect(holds(value), Effect.fail), true)
    const result = yield* Arbitrary.checkEffect(Arbitrary.schema(values), property, { runs, size })
    const failure = Arbitrary.formatCheckFailure(result)
    if (failure !== undefined) assert.fail(failure)
  })
