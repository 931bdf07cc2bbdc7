import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { EventId, EventType } from "./SlipwayEvent.ts"
import { WebhookId } from "./WebhookId.ts"

/**
 * How deliveries to a webhook go. `failingSince` is the first failure since the last success. From `disabledAt` on nothing is
 * sent to it until an administrator resumes it. Both are absent while deliveries succeed.
 */
export const WebhookState = Schema.Struct({
  failingSince: Schema.optionalKey(Schema.DateTimeUtcFromString),
  disabledAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type WebhookState = typeof WebhookState.Type

/**
 * Where a host tells of events: those of one account or of all, and those of some types or, with none named, of all. The
 * secret signs what it is told, so the store keeps it readable.
 */
export const Webhook = Schema.Struct({
  id: WebhookId,
  url: Schema.String,
  secret: Schema.String,
  accountId: Schema.optionalKey(AccountId),
  types: Schema.Array(EventType),
  createdAt: Schema.DateTimeUtcFromString,
  ...WebhookState.fields
})
export type Webhook = typeof Webhook.Type

/**
 * One attempt to deliver an event to a webhook: when it ended, the how-manieth it was, and what came of it. `answer` says
 * what the webhook answered, or why there was no answer. An event that failed is tried again, one that was given up isn't.
 */
export const DeliveryAttempt = Schema.Struct({
  at: Schema.DateTimeUtcFromString,
  webhook: WebhookId,
  event: EventId,
  type: EventType,
  attempt: Schema.Int,
  status: Schema.Literals(["delivered", "failed", "given up"]),
  answer: Schema.String
})
export type DeliveryAttempt = typeof DeliveryAttempt.Type
