import { Schema } from "effect"

/** Ids sort by the time at which the webhook was added (UUID version 7). */
export const WebhookId = Schema.String.pipe(Schema.brand("WebhookId"))
export type WebhookId = typeof WebhookId.Type
