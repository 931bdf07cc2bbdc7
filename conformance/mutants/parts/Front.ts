import type { Effect } from "effect"
import type { Answer } from "../../session/Exchange.ts"
import type { Target } from "../../testing/Target.ts"
import type { Call } from "./Call.ts"
import type { WireDialect } from "./WireDialect.ts"

/** Asks a host. */
export type Ask = (call: Call) => Effect.Effect<Answer>

/**
 * Stands in front of a host and makes its fault: asks it otherwise, answers otherwise, or doesn't ask at all. It
 * is made once for each host, so what it remembers is that host's.
 */
export type Front = (ask: Ask, target: Target, dialect: WireDialect) => Ask
