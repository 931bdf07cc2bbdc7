import { Context, Effect } from "effect"

/** Completes when the host begins to stop. Streams without an end, such as those of open pages, end then. */
export const Stopping = Context.Reference<Effect.Effect<void>>("slipway/hosts/http/Stopping", {
  defaultValue: () => Effect.never
})
