import { Context, Effect, type DateTime, type Latch } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { currentTraceparent } from "./inSpan.ts"
import { EventId, type EventContent, type SlipwayEvent } from "../model/SlipwayEvent.ts"

/**
 * The channel of events to the deliveries of this process, which wait for the latch `wake`. Without a receiver, commits store no
 * events, because nothing would deliver them and the outbox would only grow. All processes on one engine need the same setting,
 * because each publishes the events of its own commits.
 */
export interface EventChannel {
  readonly wake: Latch.Latch
  readonly hasReceivers: () => boolean
}

/** The {@link EventChannel}, if events are published. */
export const CurrentEventChannel = Context.Reference<EventChannel | undefined>("slipway/core/service/EventChannel", {
  defaultValue: () => undefined
})

/** Commits a change at `now`, with its event if events are published. */
export const makeEventPublisher = Effect.gen(function* () {
  const channel = yield* CurrentEventChannel
  const random = yield* SecureRandom
  return <A, E, R>(
    content: EventContent,
    now: DateTime.Utc,
    commit: (event: SlipwayEvent | undefined) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() =>
      channel?.hasReceivers() === true
        ? Effect.gen(function* () {
            const id = EventId.make(yield* random.uuidV7())
            const trace = withoutUndefined({ traceparent: yield* currentTraceparent })
            return yield* Effect.tap(commit({ id, timestamp: now, ...content, ...trace }), channel.wake.open)
          })
        : commit(undefined)
    )
})
