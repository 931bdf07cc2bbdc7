import type { Effect } from "effect"
import type { Exchange, Json, Sent } from "./Exchange.ts"
import type { CreatedResource, Session } from "./Session.ts"

/** What a check observed where the interface leaves the behaviour open. */
export interface Observation {
  readonly silence: string
  readonly answer: Json
}

/** The recording of a check. It holds no secret. */
export interface SessionLog {
  /** In the order in which they were begun. */
  readonly exchanges: ReadonlyArray<Exchange>
  /** The request that got no answer, or that was under way when the check was ended. */
  readonly unanswered?: Sent | undefined
  readonly observations: ReadonlyArray<Observation>
  readonly made: ReadonlyArray<CreatedResource>
  /** Removes the secrets from another text, such as the message of a violation. */
  readonly redact: (text: string) => string
}

/** A session for one check, and its recording so far. */
export interface OpenSession {
  readonly session: Session["Service"]
  readonly log: Effect.Effect<SessionLog>
}
