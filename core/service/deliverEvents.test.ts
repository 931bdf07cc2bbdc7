import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Layer, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { instant, makeAccount, makeEvent, makeKey } from "../../adapters/kit/parts/samples.ts"
import { layerMetadata } from "../../adapters/memory/index.ts"
import type { SlipwayEvent } from "../model/SlipwayEvent.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { ClaimId, Outbox } from "../ports/Outbox.ts"
import { mostAttempts } from "../rules/deliveries.ts"
import { layerDeliveries, NotDelivered, type Deliver } from "./deliverEvents.ts"
import { advanceTime } from "./testing/advanceTime.ts"

/** A stored key and the event of its making. */
const newKey = Effect.gen(function* () {
  const key = makeKey(makeAccount())
  const made = makeEvent(key)
  yield* (yield* KeyStore).insert(key, made)
  return { key, made }
})

/** A host that delivers so until the scope closes, on the outbox at hand. */
const host = (deliver: Deliver) =>
  Effect.flatMap(Effect.context<Outbox>(), (context) =>
    Layer.build(layerDeliveries(deliver).pipe(Layer.provide(Layer.succeedContext(context))))
  )

const dead = Outbox.use((outbox) => outbox.dead({ limit: 100 }))

const refused = (reason: string, retryAfter?: Duration.Duration) =>
  Effect.fail(new NotDelivered({ reason, retryAfter }))

/** Runs a test on an outbox of its own, a while after the events of the samples. */
const alone = <A, E>(test: Effect.Effect<A, E, KeyStore | Outbox | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(DateTime.toEpochMillis(instant(3_600_000))), test).pipe(
    Effect.provide(Layer.fresh(layerMetadata))
  )

describe("events", () => {
  it.effect("are delivered once each where nothing fails, also by several hosts", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const deliver: Deliver = ({ id }) =>
        Effect.andThen(
          Effect.yieldNow,
          Effect.sync(() => void seen.push(id))
        )
      const keys = yield* Effect.replicateEffect(newKey, 50)
      for (let hosts = 0; hosts < 3; hosts++) yield* host(deliver)
      yield* advanceTime("10 seconds")
      assert.deepStrictEqual(seen.toSorted(), keys.map(({ made }) => made.id).toSorted())
      yield* advanceTime("2 minutes")
      assert.strictEqual(seen.length, 50)
    }).pipe(alone)
  )

  it.effect("that come later are delivered later, those of one ordering key in order", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const first = yield* Deferred.make<void>()
      yield* host(({ event }) => {
        seen.push(event.type)
        return event.type === "key.created" ? Deferred.await(first) : Effect.void
      })
      yield* advanceTime("10 seconds")
      const { key } = yield* newKey
      yield* (yield* KeyStore).revoke(key.id, key.createdAt, makeEvent(key, "key.revoked"))
      yield* advanceTime("10 seconds")
      assert.deepStrictEqual(seen, ["key.created"])
      yield* Deferred.succeed(first, undefined)
      yield* advanceTime("1 second")
      assert.deepStrictEqual(seen, ["key.created", "key.revoked"])
    }).pipe(alone)
  )

  it.effect("are sixteen at once at most; the others wait", () =>
    Effect.gen(function* () {
      let begun = 0
      const go = yield* Deferred.make<void>()
      const all = yield* Deferred.make<void>()
      yield* Effect.replicateEffect(newKey, 40)
      yield* host(() =>
        Effect.suspend(() => {
          begun += 1
          return Effect.andThen(begun === 40 ? Deferred.succeed(all, undefined) : Effect.void, Deferred.await(go))
        })
      )
      yield* advanceTime("20 seconds")
      assert.strictEqual(begun, 16)
      yield* Deferred.succeed(go, undefined)
      yield* Deferred.await(all)
      assert.strictEqual(begun, 40)
    }).pipe(alone)
  )

  it.effect("that fail are tried again after pauses", () =>
    Effect.gen(function* () {
      let attempts = 0
      yield* newKey
      yield* host(() => Effect.suspend(() => refused(`no ${(attempts += 1)}`)))
      yield* advanceTime("1 second")
      assert.strictEqual(attempts, 1)
      yield* advanceTime("5 seconds")
      assert.strictEqual(attempts, 2)
      yield* advanceTime("1 minute")
      assert.strictEqual(attempts, 4)
    }).pipe(alone)
  )

  it.effect("that fail to the last are given up, and forgotten after thirty days", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const [long, recent] = [yield* newKey, yield* newKey]
      const now = yield* DateTime.now
      for (let attempt = 1; attempt < mostAttempts; attempt++) {
        const claimed = yield* outbox.claim({ claim: ClaimId.make("earlier"), now, until: now, limit: 2 })
        for (const one of claimed) {
          if (one.event.id === long.made.id)
            yield* outbox.giveUp(one, { at: DateTime.subtract(now, { days: 31 }), reason: "old" })
          else yield* outbox.retry(one, now)
        }
      }
      yield* host(() => refused("gone for good"))
      yield* advanceTime("5 seconds")
      assert.deepStrictEqual(
        (yield* dead).map(({ attempts, event, reason }) => ({ attempts, id: event.id, reason })),
        [{ attempts: mostAttempts, id: recent.made.id, reason: "gone for good" }]
      )
    }).pipe(alone)
  )

  it.effect("wait as long as their receiver asked for", () =>
    Effect.gen(function* () {
      let attempts = 0
      yield* newKey
      yield* host(() =>
        Effect.suspend(() => ((attempts += 1) === 1 ? refused("busy", Duration.minutes(10)) : Effect.void))
      )
      yield* advanceTime("9 minutes")
      assert.strictEqual(attempts, 1)
      yield* advanceTime("2 minutes")
      assert.strictEqual(attempts, 2)
    }).pipe(alone)
  )

  it.effect("whose delivery hangs or dies are tried again", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      let attempts = 0
      yield* newKey
      yield* host(() =>
        Effect.suspend(() => {
          attempts += 1
          if (attempts === 1) return Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push("hung")))
          return attempts === 2 ? Effect.die(new Error("a bug")) : Effect.sync(() => void ended.push("delivered"))
        })
      )
      yield* advanceTime("29 seconds")
      assert.strictEqual(attempts, 1)
      yield* advanceTime("2 minutes")
      assert.deepStrictEqual(ended, ["hung", "delivered"])
    }).pipe(alone)
  )

  it.effect("that a stopping host was about to deliver are left to others at once", () =>
    Effect.gen(function* () {
      const seen: Array<SlipwayEvent["id"]> = []
      const { made } = yield* newKey
      yield* Effect.scoped(
        Effect.andThen(
          host(() => Effect.never),
          advanceTime("1 second")
        )
      )
      yield* host(({ event }) => Effect.sync(() => void seen.push(event.id)))
      yield* advanceTime("1 second")
      assert.deepStrictEqual(seen, [made.id])
    }).pipe(alone)
  )
})
