import { Context, type DateTime, type Effect, type Option } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { DeliveryAttempt, Webhook, WebhookState } from "../model/Webhook.ts"
import type { WebhookId } from "../model/WebhookId.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/**
 * Keeps the webhooks that hosts tell of events, and the log of what they were told. The next call sees a change, on every
 * host of the same engine: nothing is cached.
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
     * Replaces a webhook's state (`WebhookState`), and stores the event with it. Answers `false`, and changes nothing, when
     * the store's webhook no longer has the state of `webhook`, or is removed.
     */
    readonly changeState: (change: {
      readonly webhook: Webhook
      readonly state: WebhookState
      readonly event?: SlipwayEvent | undefined
    }) => Effect.Effect<boolean, WriteFailure>
    /** Removes a webhook; the log of it stays. Answers `false` when there is none of that id. */
    readonly remove: (id: WebhookId) => Effect.Effect<boolean, WriteFailure>
    /** Adds an attempt to the log. Whether there is such a webhook is not checked. */
    readonly log: (attempt: DeliveryAttempt) => Effect.Effect<void, WriteFailure>
    /** The attempts that the log has, the latest first: those of one webhook where it is given, and at most `limit`. */
    readonly attempts: (query: {
      readonly webhook?: WebhookId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<DeliveryAttempt>, Unavailable>
    /** Removes from the log what ended before `before`, and what ended before the latest `keep` attempts. */
    readonly expireAttempts: (bounds: {
      readonly before: DateTime.Utc
      readonly keep: number
    }) => Effect.Effect<void, WriteFailure>
  }
>()("slipway/core/ports/WebhookStore") {}
