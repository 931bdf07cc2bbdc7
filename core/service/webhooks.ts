import { DateTime, Duration, Effect, Latch, Layer, Option, Redacted, Schedule } from "effect"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import { WebhookId, type DeliveryAttempt, type Webhook } from "../model/Webhook.ts"
import { Outbox, type ClaimedEvent } from "../ports/Outbox.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"
import { statusOfFailed } from "../rules/deliveries.ts"
import { isFor } from "../rules/events.ts"
import { layerDeliveries, NotDelivered, type Deliver } from "./deliverEvents.ts"
import { EventsTold } from "./telling.ts"

/** Where an event is sent, and the secret that signs it. */
export interface Target {
  readonly url: string
  readonly secret: Redacted.Redacted
}

/** Sends an event, and answers in words what the receiver answered. */
export type Send = (target: Target, event: SlipwayEvent) => Effect.Effect<string, NotDelivered>

/** By this id the webhook that a host's settings name stands in outboxes and in the log of deliveries. */
export const bySettings = WebhookId.make("settings")

/** How much of the log of deliveries is kept. */
const logged = { life: Duration.days(30), keep: 10_000 }

const notNow = () => new NotDelivered({ reason: "the store could not be reached" })

/** Delivers events to the webhooks of the store that want them and to the one of the settings, and logs each attempt. */
const deliverToWebhooks = Effect.fnUntraced(function* (own: Target | undefined, send: Send) {
  const store = yield* WebhookStore
  const outbox = yield* Outbox

  const targetOf = (id: WebhookId): Effect.Effect<Target | undefined, NotDelivered> =>
    id === bySettings
      ? Effect.succeed(own)
      : Effect.mapBoth(store.find(id), {
          onFailure: notNow,
          onSuccess: (found) => asTarget(Option.getOrUndefined(found))
        })

  const sendLogged = Effect.fnUntraced(function* ({ attempts, event }: ClaimedEvent, webhook: WebhookId) {
    const target = yield* targetOf(webhook)
    // Who was removed meanwhile needs no event.
    if (target === undefined) return
    const log = (status: DeliveryAttempt["status"], answer: string) =>
      Effect.flatMap(DateTime.now, (at) =>
        Effect.ignore(
          store.log({
            at,
            webhook,
            event: event.id,
            type: event.type,
            attempt: attempts,
            status,
            answer
          })
        )
      )
    yield* send(target, event).pipe(
      Effect.tap((answer) => log("delivered", answer)),
      Effect.tapError(({ reason }) => log(statusOfFailed(attempts), reason))
    )
  })

  const deliver: Deliver = Effect.fnUntraced(function* (claimed) {
    if (claimed.webhook !== undefined) return yield* sendLogged(claimed, claimed.webhook)
    const wanting = (yield* Effect.mapError(store.list, notNow)).filter((webhook) => isFor(webhook, claimed.event))
    if (wanting.length === 0) return yield* sendLogged(claimed, bySettings)
    const others = wanting.map(({ id }) => id)
    yield* Effect.mapError(outbox.passOn(claimed, own === undefined ? others : [bySettings, ...others]), notNow)
  })
  return deliver
})

const asTarget = (webhook: Webhook | undefined): Target | undefined =>
  webhook && { url: webhook.url, secret: Redacted.make(webhook.secret) }

/**
 * Whether events are told by processes that deliver to webhooks: while the settings name one (`isOwn`), or the store has any.
 * A webhook that is added is noticed within about a second.
 */
export const layerToldToWebhooks = (isOwn: boolean) =>
  Layer.effect(
    EventsTold,
    Effect.gen(function* () {
      const store = yield* WebhookStore
      // An outbox that gets an event too many loses nothing.
      let isAnyone = true
      const look = Effect.map(store.list, (all) => {
        isAnyone = isOwn || all.length > 0
      })
      yield* Effect.ignore(look)
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(look), Schedule.spaced("1 second")))
      return { wake: Latch.makeUnsafe(), isAnyone: () => isAnyone }
    })
  )

/**
 * Services whose events are delivered to webhooks while their layer is open: to the one that the host's settings name, and to
 * those of the store. Each webhook has its own order and its own attempts.
 *
 * @see docs/events.md
 */
export const layerTellingWebhooks = <A, E, R>(services: Layer.Layer<A, E, R>, own: Target | undefined, send: Send) => {
  const forget = Effect.gen(function* () {
    const store = yield* WebhookStore
    const before = DateTime.subtractDuration(yield* DateTime.now, logged.life)
    yield* store.forgetAttempts({ before, keep: logged.keep })
  })
  return Layer.mergeAll(
    services,
    Layer.unwrap(Effect.map(deliverToWebhooks(own, send), layerDeliveries)),
    Layer.effectDiscard(Effect.forkScoped(Effect.repeat(Effect.ignore(forget), Schedule.spaced("1 minute"))))
  ).pipe(Layer.provide(layerToldToWebhooks(own !== undefined)))
}
