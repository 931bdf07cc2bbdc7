import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { DeliveryAttempt, SlipwayEvent, Webhook, WebhookId, WebhookState } from "../model/SlipwayEvent.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/**
 * Stores webhooks and the log of their deliveries. Nothing is cached: the next call on any host of the same engine sees a change.
 */
export class WebhookStore extends Context.Service<
  WebhookStore,
  {
    /** Stores a new webhook. Its id is new, and its account, if it has one, is stored already. */
    readonly insert: (webhook: Webhook) => Effect.Effect<void, WriteFailure>
    /** The webhook with that id. */
    readonly find: (id: WebhookId) => Effect.Effect<Option.Option<Webhook>, Unavailable>
    /** Every webhook, ordered by id. */
    readonly list: Effect.Effect<ReadonlyArray<Webhook>, Unavailable>
    /**
     * Replaces a webhook's state (`WebhookState`), and stores the event with it. Returns `false` and changes nothing if the stored
     * webhook no longer has the state of `webhook`, or is removed.
     */
    readonly changeState: (change: {
      readonly webhook: Webhook
      readonly state: WebhookState
      readonly event?: SlipwayEvent | undefined
    }) => Effect.Effect<boolean, WriteFailure>
    /** Removes a webhook; its log stays. Returns `false` if there is none with that id. */
    readonly remove: (id: WebhookId) => Effect.Effect<boolean, WriteFailure>
    /** Adds an attempt to the log. It does not check whether the webhook exists. */
    readonly log: (attempt: DeliveryAttempt) => Effect.Effect<void, WriteFailure>
    /** At most `limit` attempts in the log, the latest first: of one webhook if given, else of all. */
    readonly attempts: (query: {
      readonly webhook?: WebhookId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, Unavailable>
    /** Deletes from the log all attempts before `before`, and all but the latest `keep`. */
    readonly expireAttempts: (bounds: {
      readonly before: DateTime.Utc
      readonly keep: number
    }) => Effect.Effect<void, WriteFailure>
  }
>()("slipway/core/ports/WebhookStore") {}
