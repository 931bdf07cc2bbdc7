import { DateTime, Effect, Schema } from "effect"
import { Command } from "effect/cli"
import { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { administer } from "../parts/administer.ts"
import { eventId, json, stores } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

const encode = Schema.encodeSync(SlipwayEvent, { disableChecks: true })

const dead = Command.make("dead", { json, ...stores }, (input) =>
  Effect.gen(function* () {
    const all = yield* administer(input, (one) => one.listDeadEvents())
    yield* print(
      input.json,
      all.map(({ attempts, deadAt, event, reason }) => ({
        event: encode(event),
        attempts,
        deadAt: DateTime.formatIso(deadAt),
        reason
      })),
      all.length === 0
        ? ["No event was given up."]
        : all.map(({ attempts, deadAt, event, reason }) =>
            [
              event.id,
              `${event.type} ${event.data.id}`,
              `given up ${DateTime.formatIso(deadAt)} after ${attempts} attempts`,
              reason
            ].join("  ")
          )
    )
  })
).pipe(Command.withDescription("List the events that were given up in the last thirty days"))

const replay = Command.make("replay", { id: eventId, json, ...stores }, (input) =>
  Effect.gen(function* () {
    yield* administer(input, (one) => one.replayEvent({ id: input.id }))
    yield* print(input.json, { id: input.id }, [`The event ${input.id} will be delivered again.`])
  })
).pipe(Command.withDescription("Deliver an event again that was given up"))

export const event = Command.make("event").pipe(
  Command.withDescription("Events that could not be delivered"),
  Command.withSubcommands([dead, replay])
)
