import { Data, Effect } from "effect"
import type { Json } from "../session/Exchange.ts"

/** The target does otherwise than a sentence says. `expected` and `came` are for a person, each one short sentence. */
export class Violation extends Data.TaggedError("Violation")<{
  readonly expected: string
  readonly came: string
}> {}

/** Holds, or is a {@link Violation}. */
export const must = (holds: boolean, expected: string, came: Json | undefined): Effect.Effect<void, Violation> =>
  holds
    ? Effect.void
    : new Violation({ expected, came: typeof came === "string" ? came : JSON.stringify(came ?? null) })
