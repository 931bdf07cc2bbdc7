import {
  Context,
  Data,
  DateTime,
  Duration,
  Effect,
  Fiber,
  Latch,
  Layer,
  Option,
  Random,
  Redacted,
  Schedule,
  Semaphore
} from "effect"
import { layerWebCrypto, SecureRandom } from "effect/crypto/SecureRandom"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { countDelivery, currentTraceparent, inSpan, spanOfTraceparent, timeDeliveryDelay } from "./telemetry.ts"
import {
  EventId,
  WebhookId,
  type DeliveryAttempt,
  type EventContent,
  type SlipwayEvent,
  type Webhook,
  type WebhookFormat,
  type WebhookState
} from "../model/SlipwayEvent.ts"
import type { AccountId } from "../model/Account.ts"
import { ClaimId, Outbox, type ClaimedEvent } from "../ports/Outbox.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { afterFailure, isFor, nextAttempt, pausedUntil, statusOfFailed, webhookDisabled } from "../rules/events.ts"
import { Settings } from "./Settings.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"

/**
 * The channel of events to the deliveries of this process, which wait for the latch `wake`. Without a receiver, commits store no
 * events, because nothing would deliver them and the outbox would only grow. All processes on one engine need the same setting,
 * because each publishes the events of its own commits.
 */
interface EventChannel {
  readonly wake: Latch.Latch
  readonly hasReceivers: () => boolean
}

/** The {@link EventChannel}, if events are published. */
export const CurrentEventChannel = Context.Reference<EventChannel | undefined>("slipway/core/service/EventChannel", {
  defaultValue: () => undefined
})

/** Commits a change at `now`, with its events if events are published. */
export const makeEventsPublisher = Effect.gen(function* () {
  const channel = yield* CurrentEventChannel
  const random = yield* SecureRandom
  return <A, E, R>(
    contents: ReadonlyArray<EventContent>,
    now: DateTime.Utc,
    commit: (events: ReadonlyArray<SlipwayEvent>) => Effect.Effect<A, E, R>
  ): Effect.Effect<A, E, R> =>
    Effect.suspend(() =>
      // A webhook that is tested receives that, though this host may not know the webhook yet.
      channel?.hasReceivers() === true || contents.some(({ type }) => type === "webhook.test")
        ? Effect.gen(function* () {
            const trace = withoutUndefined({ traceparent: yield* currentTraceparent })
            const events = yield* Effect.forEach(contents, (content) =>
              Effect.map(random.uuidV7(), (id): SlipwayEvent => ({
                id: EventId.make(id),
                timestamp: now,
                ...content,
                ...trace
              }))
            )
            return yield* Effect.tap(commit(events), channel?.wake.open ?? Effect.void)
          })
        : commit([])
    )
})

/** The same for a change with one event. */
export const makeEventPublisher = Effect.map(
  makeEventsPublisher,
  (publish) =>
    <A, E, R>(
      content: EventContent,
      now: DateTime.Utc,
      commit: (event: SlipwayEvent | undefined) => Effect.Effect<A, E, R>
    ) =>
      publish([content], now, ([event]) => commit(event))
)

/** How many deliveries a host has in flight at most. */
interface DeliveryShares {
  /** All together, without those to webhooks that fail. */
  readonly all: number
  /** To one webhook. */
  readonly webhook: number
  /** To the webhooks of one account. */
  readonly account: number
  /** To all webhooks that fail, beside `all`. Each of these webhooks has one at a time. */
  readonly failing: number
}

/** What decides whether something may be delivered to a webhook. */
interface Receiver {
  /** Whose webhook it is; none where it is the whole deployment's. */
  readonly account?: AccountId | undefined
  /** Until when nothing is delivered, after the last delivery failed. */
  readonly pausedUntil?: DateTime.Utc | undefined
  readonly isDisabled: boolean
}

/** One delivery in flight. */
interface DeliveryPermit {
  readonly webhook: WebhookId | undefined
  readonly account: AccountId | undefined
  readonly isFailing: boolean
}

/**
 * The deliveries that are in flight in this host. Webhooks that fail have permits of their own: however many of them hang, they
 * leave the permits of all others free.
 */
const makeDeliveryPermits = (shares: DeliveryShares, receivers: () => ReadonlyMap<WebhookId, Receiver>) => {
  const inFlight = new Map<string, number>()
  const count = (key: string): number => inFlight.get(key) ?? 0
  const change = (key: string, by: number): void => {
    const now = count(key) + by
    if (now === 0) inFlight.delete(key)
    else inFlight.set(key, now)
  }

  /** The counters of a permit, and the maximum of each. */
  const boundsOf = ({
    account,
    isFailing,
    webhook
  }: DeliveryPermit): ReadonlyArray<readonly [key: string, most: number]> => {
    if (isFailing)
      return [
        ["failing", shares.failing],
        [`webhook ${webhook}`, 1]
      ]
    const bounds: Array<readonly [string, number]> = [["all", shares.all]]
    if (webhook !== undefined) bounds.push([`webhook ${webhook}`, shares.webhook])
    if (account !== undefined) bounds.push([`account ${account}`, shares.account])
    return bounds
  }

  const hasRoom = (permit: DeliveryPermit): boolean => boundsOf(permit).every(([key, most]) => count(key) < most)

  const permitFor = (webhook: WebhookId | undefined): DeliveryPermit => {
    const receiver = webhook && receivers().get(webhook)
    return { webhook, account: receiver?.account, isFailing: receiver?.pausedUntil !== undefined }
  }

  return {
    /** How many more deliveries may begin, beside those to webhooks that fail. */
    free: (): number => shares.all - count("all"),
    /** The webhooks to which nothing may be delivered at `now`. */
    unavailable: (now: DateTime.Utc): ReadonlyArray<WebhookId> => {
      const ids: Array<WebhookId> = []
      for (const [webhook, { isDisabled, pausedUntil }] of receivers()) {
        const isPaused = pausedUntil !== undefined && DateTime.isGreaterThan(pausedUntil, now)
        if (isDisabled || isPaused || !hasRoom(permitFor(webhook))) ids.push(webhook)
      }
      return ids
    },
    /** A permit for a delivery to this webhook, or to the host's own receiver; `undefined` if a share is used up. */
    acquire: (webhook: WebhookId | undefined): DeliveryPermit | undefined => {
      const permit = permitFor(webhook)
      if (!hasRoom(permit)) return undefined
      for (const [key] of boundsOf(permit)) change(key, 1)
      return permit
    },
    release: (permit: DeliveryPermit): void => {
      for (const [key] of boundsOf(permit)) change(key, -1)
    }
  }
}

/** An event was not delivered, or its delivery is uncertain. `retryAfter` is the pause that the receiver asked for. */
export class NotDelivered extends Data.TaggedError("NotDelivered")<{
  readonly reason: string
  readonly retryAfter?: Duration.Duration | undefined
}> {}

/** Delivers one event that was claimed. It is interrupted when it takes longer than 30 seconds, and is called again later when it fails. */
export type Deliver = (claimed: ClaimedEvent) => Effect.Effect<void, NotDelivered>

/** The limits of deliveries in flight on one host; other events wait in the outbox. */
interface DeliveryLimits {
  readonly shares: DeliveryShares
  /** The webhooks that are known. */
  readonly receivers: () => ReadonlyMap<WebhookId, Receiver>
}

/** The limits where a function is called: sixteen calls at once. */
const limitsOfFunction: DeliveryLimits = {
  shares: { all: 16, webhook: 16, account: 16, failing: 0 },
  receivers: () => new Map()
}

const timeLimit = Duration.seconds(30)

/** The duration of a claim: longer than a delivery and its report. */
const lease = Duration.seconds(60)

/**
 * How many deliveries use the stores at once, before and after sending, and how many report their result at once. Hundreds of
 * hanging deliveries time out together, and would otherwise use every connection of a database while requests wait for one.
 */
export const storeCallsOfDeliveries = 2

/** How long a host that found nothing to deliver waits before it looks again, unless one of its own commits wakes it. */
const idlePause = Duration.seconds(1)

/** How long events that were given up are kept. */
const deadEventLife = Duration.days(30)

/** Deliveries until the scope closes. */
const makeDeliveries = (deliver: Deliver, { receivers, shares }: DeliveryLimits) =>
  Effect.gen(function* () {
    const outbox = yield* Outbox
    const random = yield* SecureRandom
    const wake = (yield* CurrentEventChannel)?.wake ?? (yield* Latch.make())
    const permits = makeDeliveryPermits(shares, receivers)
    const calls = yield* Semaphore.make(storeCallsOfDeliveries)

    const giveUpOrRetry = Effect.fnUntraced(function* (claimed: ClaimedEvent, why: NotDelivered) {
      const { attempts, event } = claimed
      const now = yield* DateTime.now
      const at = nextAttempt({ attempts, now, retryAfter: why.retryAfter, spread: yield* Random.next })
      if (Option.isSome(at)) return yield* outbox.retry(claimed, at.value)
      yield* Effect.logWarning(`The event ${event.id} (${event.type}) is given up: ${why.reason}`)
      return yield* outbox.giveUp(claimed, { at: now, reason: why.reason })
    })

    /** Reports the result of a delivery to the outbox. If that fails, the event is delivered again after the lease. */
    const report = <A>(tell: Effect.Effect<A, WriteFailure>) =>
      Effect.ignore(Effect.retry(calls.withPermit(tell), { schedule: Schedule.spaced("1 second"), times: 10 }))

    const settle = (claimed: ClaimedEvent) =>
      (claimed.attempts === 1 ? timeDeliveryDelay(claimed.event.timestamp.epochMilliseconds) : Effect.void).pipe(
        Effect.andThen(deliver(claimed)),
        Effect.timeoutOrElse({
          duration: timeLimit,
          orElse: () => Effect.fail(new NotDelivered({ reason: `took longer than ${Duration.format(timeLimit)}` }))
        }),
        Effect.catchDefect((defect) => Effect.fail(new NotDelivered({ reason: String(defect) }))),
        Effect.matchEffect({
          onSuccess: () => Effect.andThen(countDelivery("delivered"), report(outbox.done(claimed))),
          onFailure: (why) =>
            Effect.andThen(countDelivery(statusOfFailed(claimed.attempts)), report(giveUpOrRetry(claimed, why)))
        }),
        inSpan("Events.deliver", {
          kind: "producer",
          ...withoutUndefined({ parent: spanOfTraceparent(claimed.event.traceparent) })
        })
      )

    /** A host that stops releases its claims immediately. */
    const handBack = (claimed: ClaimedEvent) =>
      Effect.flatMap(DateTime.now, (now) => outbox.release(claimed, now)).pipe(
        Effect.timeoutOption("2 seconds"),
        Effect.ignore
      )

    const begin = (claimed: ClaimedEvent, permit: DeliveryPermit) =>
      Effect.forkScoped(
        settle(claimed).pipe(
          Effect.onInterrupt(() => handBack(claimed)),
          Effect.ensuring(
            Effect.suspend(() => {
              permits.release(permit)
              return wake.open
            })
          )
        )
      )

    /** Begins the deliveries that are due, as far as there are permits. */
    const beginDue = Effect.gen(function* () {
      const limit = permits.free()
      const now = yield* DateTime.now
      const claim = ClaimId.make(yield* random.uuidV4())
      const until = DateTime.addDuration(now, lease)
      const claimed =
        limit === 0 ? [] : yield* outbox.claim({ claim, now, until, limit, without: permits.unavailable(now) })
      const begun = claimed.map((one) => ({ one, permit: permits.acquire(one.webhook) }))
      // A claim may have events for more webhooks of an account than its share.
      const fibers = yield* Effect.forEach(begun, ({ one, permit }) =>
        permit === undefined ? Effect.as(handBack(one), undefined) : begin(one, permit)
      )
      return fibers.filter((fiber) => fiber !== undefined)
    })

    const forget = Effect.flatMap(DateTime.now, (now) =>
      outbox.expireDead(DateTime.subtractDuration(now, deadEventLife))
    )
    return { beginDue, forget, wake }
  })

/**
 * Delivers the events of the outbox while the layer is open: each event at least once, and events of one ordering key in order.
 * Any number of hosts share the work. A failed delivery is retried (`nextAttempt`), and given up in the end. Events that were given
 * up are deleted after 30 days.
 *
 * @see docs/webhooks.md
 */
export const layerDeliveries = (deliver: Deliver, limits: DeliveryLimits = limitsOfFunction) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { beginDue, forget, wake } = yield* makeDeliveries(deliver, limits)
      const poll = Effect.gen(function* () {
        yield* wake.close
        if ((yield* beginDue).length === 0) yield* Effect.raceFirst(Effect.sleep(idlePause), wake.await)
      })
      yield* poll.pipe(
        Effect.catch(() => Effect.sleep("5 seconds")),
        Effect.forever,
        Effect.forkScoped
      )
      yield* Effect.forkScoped(Effect.repeat(Effect.ignore(forget), Schedule.spaced("1 hour")))
    })
  ).pipe(Layer.provide(layerWebCrypto))

/** Delivers the events that are due, and ends when none is left. Failed ones are due again later. */
export const deliverDue = (deliver: Deliver) =>
  Effect.gen(function* () {
    const { beginDue, forget } = yield* makeDeliveries(deliver, limitsOfFunction)
    yield* forget
    let begun = yield* beginDue
    while (begun.length > 0) {
      yield* Fiber.awaitAll(begun)
      begun = yield* beginDue
    }
  }).pipe(Effect.scoped, Effect.provide(layerWebCrypto))

/**
 * Services with delivery of their events while their layer is open, or by `deliverDue` alone without `background`. Without `deliver`
 * their commits store no events.
 */
export const layerEventDelivery = <A, E, R>(
  services: Layer.Layer<A, E, R>,
  deliver: Deliver | undefined,
  { background }: { readonly background: boolean }
) =>
  (deliver === undefined || !background ? services : Layer.merge(services, layerDeliveries(deliver))).pipe(
    Layer.provide(Layer.succeed(CurrentEventChannel, deliver && { wake: Latch.makeUnsafe(), hasReceivers: () => true }))
  )

/** Where an event is sent, the secret that signs it, and the chat for which it is written as a message. */
export interface Target {
  readonly url: string
  readonly secret: Redacted.Redacted
  readonly chat?: { readonly format: WebhookFormat; readonly viewerUrl: string } | undefined
}

/** Sends an event, and returns the receiver's response as text. Fails without a response within 15 seconds. */
export type Send = (target: Target, event: SlipwayEvent) => Effect.Effect<string, NotDelivered>

/** The id of the webhook of the host's settings in outboxes and in the log of deliveries. */
const bySettings = WebhookId.make("settings")

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
        const settingsWebhook = before.get(bySettings)
        isAny = all.length > 0
        known = new Map(settingsWebhook && [[bySettings, settingsWebhook]])
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
  const { viewerUrl } = yield* Settings
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
    const target = id === bySettings ? own : asTarget(webhook, viewerUrl)
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

const asTarget = (webhook: Webhook | undefined, viewerUrl: string): Target | undefined => {
  if (webhook === undefined) return undefined
  const { format, secret, url } = webhook
  return { url, secret: Redacted.make(secret), chat: format && { format, viewerUrl } }
}

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
 * @see docs/webhooks.md
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
    ).pipe(Layer.provide(layerWebCrypto)),
    Layer.effectDiscard(Effect.forkScoped(Effect.repeat(Effect.ignore(forget), Schedule.spaced("1 minute")))),
    Layer.effectDiscard(Effect.forkScoped(Effect.repeat(Effect.ignore(deleteWaiting), Schedule.spaced("1 hour"))))
  ).pipe(Layer.provide(layerWebhookEventChannel(own !== undefined)))
}
