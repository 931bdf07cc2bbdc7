import type { Effect } from "effect"
import type { Exchange, Json } from "./Exchange.ts"
import type { Made, Session } from "./Session.ts"

/** What a check saw the target do where the interface is silent. */
export interface Observation {
  readonly silence: string
  readonly answer: Json
}

/** What is recorded of a check. It contains no secret. */
export interface Kept {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly observations: ReadonlyArray<Observation>
  readonly made: ReadonlyArray<Made>
  /** Removes the secrets from another text, such as a violation. */
  readonly redact: (text: string) => string
}

/** A session for one check, and what is recorded so far. */
export interface OpenSession {
  readonly session: Session["Service"]
  readonly kept: Effect.Effect<Kept>
}
