import { DateTime, Effect, Option, Schema } from "effect"
import { Command } from "effect/cli"
import { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { administer } from "../parts/administer.ts"
import { eventId, json, limit, stores, webhook, webhookId } from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

const encode = Schema.encodeSync(SlipwayEvent, { disableChecks: true })

const dead = Command.make("dead", { json, ...stores }, (input) =>
  Effect.gen(function* () {
    const all = yield* administer(input, (one) => one.listDeadEvents())
    yield* print(
      input.json,
      all.map(({ attempts, deadAt, event, id, reason, webhook }) => ({
        id,
        webhook,
        event: encode(event),
        attempts,
        deadAt: DateTime.formatIso(deadAt),
        reason
      })),
      all.length === 0
        ? ["No event was given up."]
        : all.map(({ attempts, deadAt, event, id, reason }) =>
            [
              id,
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

const log = Command.make("log", { webhook, limit, json, ...stores }, (input) =>
  Effect.gen(function* () {
    const { limit } = input
    const query = Option.match(input.webhook, { onNone: () => ({ limit }), onSome: (webhook) => ({ webhook, limit }) })
    const all = yield* administer(input, (one) => one.listDeliveryAttempts(query))
    yield* print(
      input.json,
      all.map((one) => ({ ...one, at: DateTime.formatIso(one.at) })),
      all.map(({ answer, at, attempt, event, status, type, webhook }) =>
        [DateTime.formatIso(at), webhook, `${type} ${event}`, `attempt ${attempt}`, status, answer].join("  ")
      )
    )
  })
).pipe(Command.withDescription("List the latest deliveries to webhooks, the latest first"))

const resume = Command.make("resume", { id: webhookId, json, ...stores }, (input) =>
  Effect.gen(function* () {
    yield* administer(input, (one) => one.resumeWebhook({ id: input.id }))
    yield* print(input.json, { id: input.id }, [`Deliveries to the webhook ${input.id} are resumed.`])
  })
).pipe(Command.withDescription("Resume deliveries to a webhook that was disabled or fails"))

export const event = Command.make("event").pipe(
  Command.withDescription("Deliveries of events"),
  Command.withSubcommands([log, dead, replay, resume])
)
