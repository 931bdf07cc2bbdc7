import { Data, DateTime, Duration, Effect, Fiber, Latch, Layer, Option, Random, Schedule, Semaphore } from "effect"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type { WebhookId } from "../model/WebhookId.ts"
import { ClaimId, Outbox, type ClaimedEvent } from "../ports/Outbox.ts"
import type { WriteFailure } from "../ports/WriteFailure.ts"
import { nextAttempt, statusOfFailed } from "../rules/deliveries.ts"
import { makeDeliveryPermits, type DeliveryShares, type Receiver, type DeliveryPermit } from "./deliveryPermits.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { inSpan, spanOfTraceparent } from "./inSpan.ts"
import { countDelivery, timeDeliveryDelay } from "./metrics.ts"
import { CurrentEventChannel } from "./eventPublisher.ts"

/** An event was not delivered, or its delivery is uncertain. `retryAfter` is the pause that the receiver asked for. */
export class NotDelivered extends Data.TaggedError("NotDelivered")<{
  readonly reason: string
  readonly retryAfter?: Duration.Duration | undefined
}> {}

/** Delivers one event that was claimed. It is interrupted when it takes longer than 30 seconds, and is called again later when it fails. */
export type Deliver = (claimed: ClaimedEvent) => Effect.Effect<void, NotDelivered>

/** The limits of deliveries in flight on one host; other events wait in the outbox. */
export interface DeliveryLimits {
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
    const random = yield* SecureRandom.SecureRandom
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
 * @see docs/events.md
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
  ).pipe(Layer.provide(SecureRandom.layerWebCrypto))

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
  }).pipe(Effect.scoped, Effect.provide(SecureRandom.layerWebCrypto))

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
