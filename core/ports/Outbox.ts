import { Context, Schema, type DateTime, type Effect } from "effect"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { WebhookId } from "../model/WebhookId.ts"
import type { Unavailable } from "../model/Problem.ts"
import type { WriteFailure } from "./WriteFailure.ts"

/** Names one claim of events, so that what a host says of an event counts only while its own claim is the last. */
export const ClaimId = Schema.String.pipe(Schema.brand("ClaimId"))
export type ClaimId = typeof ClaimId.Type

/** Names an event in the outbox: by its own id, and where it was passed on to a webhook, by the webhook's behind it. */
export const DeliveryId = Schema.String.pipe(Schema.brand("DeliveryId"))
export type DeliveryId = typeof DeliveryId.Type

/** Who is to get an event: the host's own receiver, or a webhook that it was passed on to. */
interface Delivery {
  readonly id: DeliveryId
  readonly event: SlipwayEvent
  readonly webhook?: WebhookId
}

/** An event that a host has claimed, to deliver it. `attempts` counts its claims, this one too: 1 at the first. */
export interface ClaimedEvent extends Delivery {
  readonly claim: ClaimId
  readonly attempts: number
}

/** What says which claim of which event is meant. */
export type Claim = Pick<ClaimedEvent, "claim" | "id">

/** An event that was given up: when, after how many attempts, and why. */
export interface DeadEvent extends Delivery {
  readonly attempts: number
  readonly deadAt: DateTime.Utc
  readonly reason: string
}

/**
 * The events that are not delivered yet. The stores of the same engine write them, each in the commit of what it tells of:
 * a commit that takes an `event` stores both or neither, also when the engine fails in the middle, and an event of a
 * commit that was refused is never seen here.
 *
 * A commit stores an event once. The host that claims it may pass it on to webhooks: then each of them has the event for
 * itself, with its own attempts and its own order, so that one that fails doesn't hold up another.
 *
 * Each thing (`orderingKey`) has its own order, that of the commits. Of several undelivered events of one thing only the first
 * can be claimed; the next can be when that one is done or given up. Any number of hosts claim at once. All times are
 * given; the store has no clock of its own.
 */
export class Outbox extends Context.Service<
  Outbox,
  {
    /**
     * Claims at most `limit` events that are due at `now`, those that were due first: nobody else gets one of them before
     * `until`, and from that very instant on they are due again. An event is first due at its `timestamp`. Of claims at the same
     * time, no two get the same event.
     *
     * Of the events that were passed on, a claim has at most one for each webhook, and none for those of `without`. How many
     * events wait for these doesn't change how long a claim takes.
     */
    readonly claim: (request: {
      readonly claim: ClaimId
      readonly now: DateTime.Utc
      readonly until: DateTime.Utc
      readonly limit: number
      readonly without?: ReadonlyArray<WebhookId> | undefined
    }) => Effect.Effect<ReadonlyArray<ClaimedEvent>, WriteFailure>
    /**
     * The event was delivered and is removed. Answers `false`, and changes nothing, when the claim is not the event's last
     * one; so it is for `retry`, `release`, `passOn` and `giveUp`.
     */
    readonly done: (claim: Claim) => Effect.Effect<boolean, WriteFailure>
    /** The event was not delivered: the claim ends, and the event is due again at `at`. */
    readonly retry: (claim: Claim, at: DateTime.Utc) => Effect.Effect<boolean, WriteFailure>
    /** The claim ends as if it had not been made: it doesn't count as an attempt, and the event is due again at `at`. */
    readonly release: (claim: Claim, at: DateTime.Utc) => Effect.Effect<boolean, WriteFailure>
    /**
     * The event is to be delivered to these webhooks, to each of them for itself: it is replaced by one for each, behind what
     * that webhook still has to get of the same thing. They are due at once.
     */
    readonly passOn: (claimed: ClaimedEvent, webhooks: ReadonlyArray<WebhookId>) => Effect.Effect<boolean, WriteFailure>
    /** The event is given up: it is kept as dead and is no longer claimed, nor does it hold up later events of its thing. */
    readonly giveUp: (
      claim: Claim,
      end: { readonly at: DateTime.Utc; readonly reason: string }
    ) => Effect.Effect<boolean, WriteFailure>
    /** The events that are dead, ordered by their ids: only those behind `after` where it is given, and at most `limit`. */
    readonly dead: (query: {
      readonly after?: DeliveryId | undefined
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<DeadEvent>, Unavailable>
    /**
     * A dead event is due at `at`, in its old place in the order of its thing and with no attempts counted. Answers `false`
     * when there is no dead event of that id.
     */
    readonly replay: (id: DeliveryId, at: DateTime.Utc) => Effect.Effect<boolean, WriteFailure>
    /** Removes the events that died before `before`, and answers how many. */
    readonly expireDead: (before: DateTime.Utc) => Effect.Effect<number, WriteFailure>
    /** Removes the undelivered events of a webhook that happened before `before` and are not dead, and answers how many. */
    readonly deleteWaiting: (webhook: WebhookId, before: DateTime.Utc) => Effect.Effect<number, WriteFailure>
  }
>()("slipway/core/ports/Outbox") {}
