import { Data, Effect } from "effect"
import type { Json } from "../session/Exchange.ts"

/** The target violates a sentence of the interface. `expected` and `came` are short sentences for a person. */
export class Violation extends Data.TaggedError("Violation")<{
  readonly expected: string
  readonly came: string
}> {}

/** Fails with a {@link Violation} unless the condition holds. */
export const must = (holds: boolean, expected: string, came: Json | undefined): Effect.Effect<void, Violation> =>
  holds
    ? Effect.void
    : new Violation({ expected, came: typeof came === "string" ? came : JSON.stringify(came ?? null) })
