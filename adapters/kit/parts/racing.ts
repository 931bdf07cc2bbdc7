/** Helpers for cases in which several attempts race and exactly one is committed. */
import { assert } from "@effect/vitest"
import { Effect, Result } from "effect"
import { Conflict } from "../../../core/ports/WriteFailure.ts"

export const many = Array.from({ length: 32 }, (_, index) => index)

export const atOnce = <E, R>(attempts: ReadonlyArray<Effect.Effect<void, E, R>>) =>
  Effect.forEach(attempts, Effect.result, { concurrency: "unbounded" })

/** The index of the only attempt that was committed. Asserts that the others were refused with the reason. */
export const onlyWinner = (
  results: ReadonlyArray<Result.Result<void, unknown>>,
  refusal: new () => object = Conflict
): number => {
  const winners = results.flatMap((result, index) => (Result.isSuccess(result) ? [index] : []))
  assert.strictEqual(winners.length, 1, "attempts that were committed")
  for (const result of results.filter(Result.isFailure)) assert.instanceOf(result.failure, refusal)
  return winners[0] ?? -1
}

export const assertConflict = <R>(commit: Effect.Effect<void, unknown, R>) =>
  Effect.gen(function* () {
    assert.instanceOf(yield* Effect.flip(commit), Conflict)
  })
