import { Context, DateTime, Duration, Effect, Latch, Layer, Option, Redacted, Schedule, Semaphore } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import type { DeliveryAttempt, Webhook, WebhookState } from "../model/Webhook.ts"
import { WebhookId } from "../model/WebhookId.ts"
import { Outbox, type ClaimedEvent } from "../ports/Outbox.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { statusOfFailed } from "../rules/deliveries.ts"
import { isFor, webhookDisabled } from "../rules/events.ts"
import { afterFailure, pausedUntil } from "../rules/webhooks.ts"
import { layerDeliveries, NotDelivered, storeCallsOfDeliveries, type Deliver } from "./deliverEvents.ts"
import type { DeliveryShares, Receiver } from "./deliveryPermits.ts"
import { CurrentEventChannel, makeEventPublisher } from "./eventPublisher.ts"

/** Where an event is sent, and the secret that signs it. */
export interface Target {
  readonly url: string
  readonly secret: Redacted.Redacted
}

/** Sends an event, and returns the receiver's response as text. Fails without a response within 15 seconds. */
export type Send = (target: Target, event: SlipwayEvent) => Effect.Effect<string, NotDelivered>

/** The id of the webhook of the host's settings in outboxes and in the log of deliveries. */
export const bySettings = WebhookId.make("settings")

/** The retention of the log of deliveries. */
const logged = { life: Duration.days(30), keep: 10_000 }

const storeUnavailable = () => new NotDelivered({ reason: "the store could not be reached" })

/** The limits of deliveries in flight on one host. */
const shares: DeliveryShares = { all: 256, webhook: 4, account: 16, failing: 16 }

/**
 * A cache of the webhooks of the store and of the settings, which is refreshed every second. Results of this process's own
 * deliveries update it immediately.
 */
class KnownWebhooks extends Context.Service<
  KnownWebhooks,
  {
    /** The delivery state of each webhook. */
    readonly receivers: () => ReadonlyMap<WebhookId, Receiver>
    /** Whether the store has any webhook; true until it could be read. */
    readonly isAny: () => boolean
    /** Updates the cached state of a webhook until the store is read again. */
    readonly learn: (webhook: WebhookId, receiver: Partial<Receiver>) => void
  }
>()("slipway/core/service/KnownWebhooks") {
  static readonly layer = Layer.effect(
    KnownWebhooks,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      let isAny = true
      let known = new Map<WebhookId, Receiver>()
      const look = Effect.gen(function* () {
        const all = yield* store.list
        const now = yield* DateTime.now
        const before = known
        const own = before.get(bySettings)
        isAny = all.length > 0
        known = new Map(own && [[bySettings, own]])
        for (const { accountId, disabledAt, failingSince, id } of all) {
          known.set(id, {
            account: accountId,
            isDisabled: disabledAt !== undefined,
            pausedUntil: failingSince && (before.get(id)?.pausedUntil ?? now)
          })
        }
      })
      yield* Effect.ignore(look)
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(look), Schedule.spaced("1 second")))
      return KnownWebhooks.of({
        receivers: () => known,
        isAny: () => isAny,
        learn: (webhook, receiver) => void known.set(webhook, { isDisabled: false, ...known.get(webhook), ...receiver })
      })
    })
  )
}

/** Delivers events to the webhooks of the store that want them and to the one of the settings, and logs each attempt. */
const deliverToWebhooks = Effect.fnUntraced(function* (own: Target | undefined, send: Send) {
  const store = yield* WebhookStore
  const outbox = yield* Outbox
  const known = yield* KnownWebhooks
  const publish = yield* makeEventPublisher
  const calls = yield* Semaphore.make(storeCallsOfDeliveries)
  let ownFailingSince: DateTime.Utc | undefined

  const find = (id: WebhookId): Effect.Effect<Webhook | undefined, NotDelivered> =>
    id === bySettings
      ? Effect.undefined
      : Effect.mapBoth(calls.withPermit(store.find(id)), {
          onFailure: storeUnavailable,
          onSuccess: Option.getOrUndefined
        })

  /** Stores a new state of a webhook, with the event for its account if that disables it. */
  const changeState = Effect.fnUntraced(function* (webhook: Webhook, state: WebhookState, now: DateTime.Utc) {
    const { accountId: account, id } = webhook
    const { disabledAt, failingSince } = state
    if (disabledAt === undefined || failingSince === undefined) return yield* store.changeState({ webhook, state })
    const isChanged = yield* account === undefined
      ? store.changeState({ webhook, state })
      : publish(webhookDisabled(account, id, failingSince), now, (event) =>
          store.changeState({ webhook, state, event })
        )
    if (isChanged) {
      yield* Effect.logWarning(
        `The webhook ${id} is disabled: every delivery has failed since ${DateTime.formatIso(failingSince)}. \`slipway event resume ${id}\` resumes it.`
      )
    }
    return isChanged
  })

  const onDelivered = Effect.fnUntraced(function* (id: WebhookId, webhook: Webhook | undefined) {
    if (id === bySettings) ownFailingSince = undefined
    if (webhook?.failingSince !== undefined)
      yield* Effect.ignore(calls.withPermit(store.changeState({ webhook, state: {} })))
    if (known.receivers().get(id)?.pausedUntil !== undefined) {
      known.learn(id, { pausedUntil: undefined, isDisabled: false })
    }
  })

  const onFailed = Effect.fnUntraced(function* (id: WebhookId, webhook: Webhook | undefined, why: NotDelivered) {
    const now = yield* DateTime.now
    if (webhook === undefined) ownFailingSince ??= now
    const state: WebhookState =
      webhook === undefined ? { failingSince: ownFailingSince ?? now } : afterFailure(webhook, now)
    known.learn(id, {
      isDisabled: state.disabledAt !== undefined,
      pausedUntil: pausedUntil(state.failingSince ?? now, now, why.retryAfter)
    })
    const isAsBefore = webhook?.failingSince !== undefined && webhook.disabledAt === state.disabledAt
    if (webhook !== undefined && !isAsBefore) yield* Effect.ignore(calls.withPermit(changeState(webhook, state, now)))
  })

  const sendLogged = Effect.fnUntraced(function* ({ attempts, event }: ClaimedEvent, id: WebhookId) {
    const webhook = yield* find(id)
    const target = id === bySettings ? own : asTarget(webhook)
    // A webhook that was removed meanwhile needs no event.
    if (target === undefined) return
    const log = (status: DeliveryAttempt["status"], answer: string) =>
      Effect.flatMap(DateTime.now, (at) =>
        store.log({
          at,
          webhook: id,
          event: event.id,
          type: event.type,
          attempt: attempts,
          status,
          answer
        })
      ).pipe(calls.withPermits(1), Effect.ignore)
    yield* send(target, event).pipe(
      Effect.tap((answer) => Effect.andThen(onDelivered(id, webhook), log("delivered", answer))),
      Effect.tapError((why) => Effect.andThen(onFailed(id, webhook, why), log(statusOfFailed(attempts), why.reason)))
    )
  })

  /** Passes an event on to each webhook that wants it, so that no receiver delays another. */
  const deliver: Deliver = Effect.fnUntraced(function* (claimed) {
    if (claimed.webhook !== undefined) return yield* sendLogged(claimed, claimed.webhook)
    const passOn = Effect.gen(function* () {
      const wanting = (yield* store.list).filter((webhook) => isFor(webhook, claimed.event))
      const others = wanting.map(({ id }) => id)
      yield* outbox.passOn(claimed, own === undefined ? others : [bySettings, ...others])
    })
    yield* Effect.mapError(calls.withPermit(passOn), storeUnavailable)
  })
  return { deliver, limits: { shares, receivers: known.receivers } }
})

const asTarget = (webhook: Webhook | undefined): Target | undefined =>
  webhook && { url: webhook.url, secret: Redacted.make(webhook.secret) }

/**
 * Publishes events to webhooks if the settings have one (`isOwn`) or the store has any.
 * A webhook that is added is noticed within about a second.
 */
export const layerWebhookEventChannel = (isOwn: boolean) =>
  Layer.effect(
    CurrentEventChannel,
    Effect.map(KnownWebhooks, (known) => ({ wake: Latch.makeUnsafe(), hasReceivers: () => isOwn || known.isAny() }))
  ).pipe(Layer.provideMerge(KnownWebhooks.layer))

/** How long events are kept for a disabled webhook. */
const waitingEventLife = Duration.days(30)

/**
 * Services with delivery of their events to webhooks while their layer is open: to the one of the host's settings, and to those of
 * the store. Each webhook has its own order and its own attempts.
 *
 * @see docs/events.md
 */
export const layerWebhookDelivery = <A, E, R>(services: Layer.Layer<A, E, R>, own: Target | undefined, send: Send) => {
  const forget = Effect.gen(function* () {
    const store = yield* WebhookStore
    const before = DateTime.subtractDuration(yield* DateTime.now, logged.life)
    yield* store.expireAttempts({ before, keep: logged.keep })
  })
  const deleteWaiting = Effect.gen(function* () {
    const outbox = yield* Outbox
    const before = DateTime.subtractDuration(yield* DateTime.now, waitingEventLife)
    const disabled = (yield* WebhookStore.use((store) => store.list)).filter(
      ({ disabledAt }) => disabledAt !== undefined
    )
    yield* Effect.forEach(disabled, ({ id }) => outbox.deleteWaiting(id, before), { discard: true })
  })
  return Layer.mergeAll(
    services,
    // Not for the services, which have the randomness that is given.
    Layer.unwrap(
      Effect.map(deliverToWebhooks(own, send), ({ deliver, limits }) => layerDeliveries(deliver, limits))
    ).pipe(Layer.provide(SecureRandom.layerWebCrypto)),
    Layer.effectDiscard(Effect.forkScoped(Effect.repeat(Effect.ignore(forget), Schedule.spaced("1 minute")))),
    Layer.effectDiscard(Effect.forkScoped(Effect.repeat(Effect.ignore(deleteWaiting), Schedule.spaced("1 hour"))))
  ).pipe(Layer.provide(layerWebhookEventChannel(own !== undefined)))
}
