import { Context, Effect, type DateTime, type Latch } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { EventId, type EventContent, type SlipwayEvent } from "../model/SlipwayEvent.ts"

/**
 * Where events are told: `wake` is the latch at which those who deliver them in this process wait for the next one. While
 * nobody is to be told, commits store no events, since nobody would deliver them and the outbox would only grow. All
 * processes on one engine need the same answer, since each tells of its own commits.
 */
export interface EventChannel {
  readonly wake: Latch.Latch
  readonly hasReceivers: () => boolean
}

/** {@link EventChannel}, where anybody can be told at all. */
export const CurrentEventChannel = Context.Reference<EventChannel | undefined>("slipway/core/service/EventChannel", {
  defaultValue: () => undefined
})

/** Commits what happens at `now`, with the event of it where events are told. */
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
        ? Effect.flatMap(random.uuidV7(), (id) =>
            Effect.tap(commit({ id: EventId.make(id), timestamp: now, ...content }), channel.wake.open)
          )
        : commit(undefined)
    )
})
