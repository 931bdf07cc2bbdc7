import { DateTime, Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { SlipwayEvent, webhookFilters, WebhookFormat } from "../../../core/model/SlipwayEvent.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { WebhookUrl } from "../../../core/rules/events.ts"
import type { ShownWebhook } from "../../../core/service/administrationMethods.ts"
import { administer } from "../parts/administer.ts"
import {
  account,
  eventId,
  eventTypes,
  json,
  limit,
  stores,
  webhook as ofWebhook,
  webhookId
} from "../parts/arguments.ts"
import { print } from "../parts/print.ts"

/** A webhook as JSON. `secret` is included only when it was just made. */
const webhookJson = ({ account, webhook }: ShownWebhook, secret?: string) => ({
  id: webhook.id,
  secret,
  url: webhook.url,
  account: account?.name,
  events: webhook.types.length === 0 ? undefined : webhook.types,
  format: webhook.format,
  repository: webhook.repository,
  branch: webhook.branch,
  createdAt: DateTime.formatIso(webhook.createdAt),
  failingSince: webhook.failingSince && DateTime.formatIso(webhook.failingSince),
  disabledAt: webhook.disabledAt && DateTime.formatIso(webhook.disabledAt)
})

const webhookLine = ({ account, webhook }: ShownWebhook): string =>
  [
    webhook.id,
    webhook.url,
    account === undefined ? "all accounts" : `account ${account.name}`,
    webhook.types.length === 0 ? "all events" : webhook.types.join(" "),
    ...(webhook.format === undefined ? [] : [`for ${webhook.format}`]),
    ...(webhook.repository === undefined ? [] : [webhook.repository]),
    ...(webhook.branch === undefined ? [] : [`branch ${webhook.branch}`]),
    ...(webhook.failingSince === undefined ? [] : [`failing since ${DateTime.formatIso(webhook.failingSince)}`]),
    ...(webhook.disabledAt === undefined ? [] : [`disabled at ${DateTime.formatIso(webhook.disabledAt)}`])
  ].join("  ")

const url = Argument.String("url").pipe(
  Argument.withDescription("Where each event is sent by POST"),
  Argument.withSchema(WebhookUrl)
)

const format = Flag.Literals("format", WebhookFormat.literals).pipe(
  Flag.withDescription("Write events as messages for a chat; without it, they are sent as JSON"),
  Flag.optional
)

const repository = Flag.String("repository").pipe(
  Flag.withDescription("Only events of this repository, OWNER/REPO"),
  Flag.withSchema(webhookFilters.repository.schema),
  Flag.optional
)

const branch = Flag.String("branch").pipe(
  Flag.withDescription("Only events of this branch"),
  Flag.withSchema(webhookFilters.branch.schema),
  Flag.optional
)

const options = { url, account: Flag.optional(account), eventTypes, format, repository, branch, json, ...stores }

const add = Command.make("add", options, (input) =>
  Effect.gen(function* () {
    const order = {
      url: input.url,
      types: input.eventTypes,
      ...withoutUndefined({
        account: Option.getOrUndefined(input.account),
        format: Option.getOrUndefined(input.format),
        repository: Option.getOrUndefined(input.repository),
        branch: Option.getOrUndefined(input.branch)
      })
    }
    const { secret, ...added } = yield* administer(input, (one) => one.addWebhook(order))
    yield* print(input.json, webhookJson(added, secret), [
      secret,
      "Save it now: it verifies the webhook's requests, and is not shown again.",
      webhookLine(added)
    ])
  })
).pipe(Command.withDescription("Tell a URL of events; its secret is shown once"))

const list = Command.make("list", { json, ...stores }, (input) =>
  Effect.gen(function* () {
    const all = yield* administer(input, (one) => one.listWebhooks())
    yield* print(
      input.json,
      all.map((one) => webhookJson(one)),
      all.map(webhookLine)
    )
  })
).pipe(Command.withDescription("List the webhooks that were added"))

const remove = Command.make("remove", { id: webhookId, json, ...stores }, (input) =>
  Effect.gen(function* () {
    yield* administer(input, (one) => one.removeWebhook({ id: input.id }))
    yield* print(input.json, { id: input.id }, [`The webhook ${input.id} is removed and receives no more events.`])
  })
).pipe(Command.withDescription("Remove a webhook, with its pending events"))

const test = Command.make("test", { id: webhookId, json, ...stores }, (input) =>
  Effect.gen(function* () {
    yield* administer(input, (one) => one.testWebhook({ id: input.id }))
    yield* print(input.json, { id: input.id }, [
      `A test event is sent to the webhook ${input.id}. Its result: slipway event log --webhook ${input.id}`
    ])
  })
).pipe(Command.withDescription("Send a test event to a webhook"))

export const webhook = Command.make("webhook").pipe(
  Command.withDescription("URLs that receive events"),
  Command.withSubcommands([add, list, remove, test])
)

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

const log = Command.make("log", { webhook: ofWebhook, limit, json, ...stores }, (input) =>
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
