import type { Effect } from "effect"
import type { Exchange, Json } from "./Exchange.ts"
import type { Made, Session } from "./Session.ts"

/** What a check observed where the interface leaves the behaviour open. */
export interface Observation {
  readonly silence: string
  readonly answer: Json
}

/** The recording of a check. It holds no secret. */
export interface Kept {
  readonly exchanges: ReadonlyArray<Exchange>
  readonly observations: ReadonlyArray<Observation>
  readonly made: ReadonlyArray<Made>
  /** Removes the secrets from another text, such as the message of a violation. */
  readonly redact: (text: string) => string
}

/** A session for one check, and its recording so far. */
export interface OpenSession {
  readonly session: Session["Service"]
  readonly kept: Effect.Effect<Kept>
}
