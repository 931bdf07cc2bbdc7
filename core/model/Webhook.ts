import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { EventId, EventType } from "./SlipwayEvent.ts"
import { WebhookId } from "./WebhookId.ts"

/**
 * The delivery state of a webhook. `failingSince` is the first failure since the last success. From `disabledAt` on nothing is
 * sent to it until an administrator resumes it. Both are absent while deliveries succeed.
 */
export const WebhookState = Schema.Struct({
  failingSince: Schema.optionalKey(Schema.DateTimeUtcFromString),
  disabledAt: Schema.optionalKey(Schema.DateTimeUtcFromString)
})
export type WebhookState = typeof WebhookState.Type

/**
 * A receiver of events: of one account or of all, and of some types or, if none is given, of all. The secret signs deliveries, so
 * it is stored in plain text.
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
 * One attempt to deliver an event to a webhook: when it ended, its number and its result. `answer` is the webhook's response, or
 * why there was none. A failed event is retried; one that was given up isn't.
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
