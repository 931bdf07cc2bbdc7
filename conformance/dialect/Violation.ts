import { Data, Effect } from "effect"
import type { Json } from "../session/Exchange.ts"

/**
 * The target violates a sentence of the interface. `expected` and `came` are short sentences for a person; `step` is the
 * id of the check that tests the step in which it showed, where that is a step which other checks only prepare with.
 */
export class Violation extends Data.TaggedError("Violation")<{
  readonly expected: string
  readonly came: string
  readonly step?: string
}> {}

/** A step with which many checks prepare, tested by the check of this id: what goes wrong in it names that check. */
export const testedBy =
  (step: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | Violation, R> =>
    Effect.mapError(effect, (error) =>
      error instanceof Violation && error.step === undefined
        ? new Violation({ expected: error.expected, came: error.came, step })
        : error
    )

/** Fails with a {@link Violation} unless the condition holds. */
export const must = (holds: boolean, expected: string, came: Json | undefined): Effect.Effect<void, Violation> =>
  holds
    ? Effect.void
    : new Violation({ expected, came: typeof came === "string" ? came : JSON.stringify(came ?? null) })
