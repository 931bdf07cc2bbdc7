import { Context, Effect } from "effect"
import type { DateTime } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { EventId } from "../model/SlipwayEvent.ts"
import type { Happening, SlipwayEvent } from "../model/SlipwayEvent.ts"

/**
 * Whether commits store events. They do where somebody delivers them; elsewhere an outbox would only grow. All processes on
 * one engine need the same answer, since each tells of its own commits.
 */
export const EventsAreTold = Context.Reference<boolean>("slipway/core/service/EventsAreTold", {
  defaultValue: () => false
})

/** Makes the event of something that happens at `now`, for the commit of it; none where events aren't told. */
export const makeTelling = Effect.gen(function* () {
  const areTold = yield* EventsAreTold
  const random = yield* SecureRandom
  return (happening: Happening, now: DateTime.Utc): Effect.Effect<SlipwayEvent | undefined> =>
    areTold
      ? Effect.map(random.uuidV7(), (id) => ({ id: EventId.make(id), timestamp: now, ...happening }))
      : Effect.undefined
})
