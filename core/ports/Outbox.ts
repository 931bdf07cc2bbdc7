import { Context, Schema, type DateTime, type Effect } from "effect"
import type { SlipwayEvent, WebhookId } from "../model/SlipwayEvent.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** Identifies one claim of events. A host can change the state of an event only while its claim is the latest. */
export const ClaimId = Schema.String.pipe(Schema.brand("ClaimId"))
export type ClaimId = typeof ClaimId.Type

/** Identifies an event in the outbox: the event's id, followed by the webhook's id if the event was passed on to a webhook. */
export const DeliveryId = Schema.String.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** The recipient of an event: the host's own receiver, or a webhook that the event was passed on to. */
interface Delivery {
  readonly id: DeliveryId
  readonly event: SlipwayEvent
  readonly webhook?: WebhookId
}

/** An event that a host has claimed for delivery. `attempts` counts its claims, including this one: 1 at the first. */
export interface ClaimedEvent extends Delivery {
  readonly claim: ClaimId
  readonly attempts: number
}

/** Identifies a claim and its event. */
export type Claim = Pick<ClaimedEvent, "claim" | "id">

/** An event that was given up: when, after how many attempts, and why. */
export interface DeadEvent extends Delivery {
  readonly attempts: number
  readonly deadAt: DateTime.Utc
  readonly reason: string
}

/**
 * The events that are not delivered yet. The stores of the same engine write an event in the commit of the change that it
 * reports. A commit with an `event` is atomic, also when the engine fails in the middle. A commit that fails stores no event.
 *
 * A commit stores an event once. The host that claims it may pass it on to webhooks. Then each webhook has its own copy of the
 * event, with its own attempts and its own order, so that a failing webhook doesn't delay another.
 *
 * Events with the same `orderingKey` are delivered in the order of their commits. Only the first undelivered event of an ordering
 * key can be claimed; the next one when that one is done or given up. Any number of hosts can claim concurrently. All times are
 * given; the store has no clock of its own.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Claims at most `limit` events that are due at `now`, the earliest due first. No other claim gets them before `until`; from
     * `until` on they are due again. An event is first due at its `timestamp`. Concurrent claims never get the same event.
     *
     * A claim has at most one event for each webhook, and none for the webhooks in `without`. The number of events that wait for
     * these webhooks doesn't affect the duration of a claim.
     */
    readonly claim: (request: {
      readonly claim: ClaimId
      readonly now: DateTime.Utc
      readonly until: DateTime.Utc
      readonly limit: number
      readonly without?: ReadonlyArray<WebhookId> | undefined
    }) => Effect.Effect<ReadonlyArray<ClaimedEvent>, WriteFailure>
    /**
     * Removes a delivered event. Returns `false` and changes nothing if the claim is not the event's latest one. The same applies
     * to `retry`, `release`, `passOn` and `giveUp`.
     */
    readonly done: (claim: Claim) => Effect.Effect<boolean, WriteFailure>
    /** Ends the claim of an event that was not delivered. The event is due again at `at`. */
    readonly retry: (claim: Claim, at: DateTime.Utc) => Effect.Effect<boolean, WriteFailure>
    /** Ends the claim without counting it as an attempt. The event is due again at `at`. */
    readonly release: (claim: Claim, at: DateTime.Utc) => Effect.Effect<boolean, WriteFailure>
    /**
     * Replaces the event by one copy for each of these webhooks. A copy is queued after the webhook's waiting events of the same
     * ordering key. The copies are due immediately.
     */
    readonly passOn: (claimed: ClaimedEvent, webhooks: ReadonlyArray<WebhookId>) => Effect.Effect<boolean, WriteFailure>
    /** Gives up an event: it is kept as dead, can't be claimed, and no longer blocks later events of its ordering key. */
    readonly giveUp: (
      claim: Claim,
      end: { readonly at: DateTime.Utc; readonly reason: string }
    ) => Effect.Effect<boolean, WriteFailure>
    /** At most `limit` dead events, ordered by id: only those after `after`, if given. */
    readonly dead: (query: {
      readonly after?: DeliveryId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<DeadEvent>, Unavailable>
    /**
     * Makes a dead event due at `at`, at its old position in the order of its ordering key, with its attempts reset to 0. Returns
     * `false` if there is no dead event with that id.
     */
    readonly replay: (id: DeliveryId, at: DateTime.Utc) => Effect.Effect<boolean, WriteFailure>
    /** Deletes the events that were given up before `before`. Returns how many. */
    readonly expireDead: (before: DateTime.Utc) => Effect.Effect<number, WriteFailure>
    /** Deletes the undelivered events of a webhook from before `before` that are not dead. Returns how many. */
    readonly deleteWaiting: (webhook: WebhookId, before: DateTime.Utc) => Effect.Effect<number, WriteFailure>
  }
>()("slipway/core/ports/Outbox") {}
