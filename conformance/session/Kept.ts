import type { Effect } from "effect"
import type { Exchange, Json } from "./Exchange.ts"
import type { Made, Session } from "./Session.ts"

/** What a check saw the target do where the interface is silent. */
export interface Observation {
  readonly silence: string
  readonly answer: Json
}

/** What is kept of a check's meeting with a target. No secret is in it. */
export interface Kept {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly observations: ReadonlyArray<Observation>
  readonly made: ReadonlyArray<Made>
  /** What else is said of it, a violation say, without secrets. */
  readonly redact: (text: string) => string
}

/** A session for one check, and what is kept of it so far. */
export interface OpenSession {
  readonly session: Session["Service"]
  readonly kept: Effect.Effect<Kept>
}
