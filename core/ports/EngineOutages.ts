import { Context, Effect } from "effect"

/** An engine of a deployment. */
export type EngineName = "database" | "object store"

/**
 * Is called with each call that found an engine away, and with the log line of it. By default each line is logged. A host replaces it, so
 * that thousands of calls don't log the same line.
 */
export const EngineOutages = Context.Reference<(engine: EngineName, line: Effect.Effect<void>) => Effect.Effect<void>>(
  "slipway/core/ports/EngineOutages",
  { defaultValue: () => (_, line) => line }
)

/** Reports a call that found an engine away. */
export const reportAway = (engine: EngineName, line: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(EngineOutages, (report) => report(engine, line))
