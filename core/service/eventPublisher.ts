import { Context, Effect, type DateTime, type Latch } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { EventId, type Happening, type SlipwayEvent } from "../model/SlipwayEvent.ts"

/**
 * Where events are told: `wake` is the latch at which those who deliver them in this process wait for the next one. While
 * nobody is to be told, commits store no events, since nobody would deliver them and the outbox would only grow. All
 * processes on one engine need the same answer, since each tells of its own commits.
 */
export interface Told {
  readonly wake: Latch.Latch
  readonly isAnyone: () => boolean
}

/** {@link Told}, where anybody can be told at all. */
export const EventsTold = Context.Reference<Told | undefined>("slipway/core/service/EventsTold", {
  defaultValue: () => undefined
})

/** Commits what happens at `now`, with the event of it where events are told. */
export const makeTelling = Effect.gen(function* () {
  const told = yield* EventsTold
  const random = yield* SecureRandom
  return <A, E, R>(
    happening: Happening,
    now: DateTime.Utc,
    commit: (event: SlipwayEvent | undefined) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() =>
      told?.isAnyone() === true
        ? Effect.flatMap(random.uuidV7(), (id) =>
            Effect.tap(commit({ id: EventId.make(id), timestamp: now, ...happening }), told.wake.open)
          )
        : commit(undefined)
    )
})
