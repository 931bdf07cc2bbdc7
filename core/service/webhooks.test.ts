import { assert, describe, it } from "@effect/vitest"
import { DateTime, Deferred, Duration, Effect, Layer, Option, Redacted, type Scope } from "effect"
import { TestClock } from "effect/testing"
import { idAt, instant, makeAccount, makeEvent, makeKey } from "../../adapters/kit/parts/samples.ts"
import { layerMetadata } from "../../adapters/memory/index.ts"
import { WebhookId, type SlipwayEvent, type Webhook } from "../model/SlipwayEvent.ts"
import { KeyStore } from "../ports/KeyStore.ts"
import { ClaimId, Outbox } from "../ports/Outbox.ts"
import { maxAttempts } from "../rules/events.ts"
import {
  CurrentEventChannel,
  layerDeliveries,
  layerWebhookDelivery,
  layerWebhookEventChannel,
  NotDelivered,
  storeCallsOfDeliveries,
  type Deliver,
  type Send
} from "./webhooks.ts"
import { Settings } from "./Settings.ts"
import { advanceTime } from "./testing/advanceTime.ts"
import type { Account } from "../model/Account.ts"
import { WebhookStore } from "../ports/WebhookStore.ts"

/** A stored key and the event of its making. */
const newKey = Effect.gen(function* () {
  const key = makeKey(makeAccount())
  const made = makeEvent(key)
  yield* (yield* KeyStore).insert(key, made)
  return { key, made }
})

/** A host that delivers so until the scope closes, on the outbox at hand. */
const deliveringHost = (deliver: Deliver) =>
  Effect.flatMap(Effect.context<Outbox>(), (context) =>
    Layer.build(layerDeliveries(deliver).pipe(Layer.provide(Layer.succeedContext(context))))
  )

const dead = Outbox.use((outbox) => outbox.dead({ limit: 100 }))

const refused = (reason: string, retryAfter?: Duration.Duration) =>
  Effect.fail(new NotDelivered({ reason, retryAfter }))

/** Runs a test on an outbox of its own, a while after the events of the samples. */
const withOutbox = <A, E>(test: Effect.Effect<A, E, KeyStore | Outbox | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(DateTime.toEpochMillis(instant(3_600_000))), test).pipe(
    Effect.provide(Layer.fresh(Layer.merge(layerMetadata, Settings.layer({ url: "https://slipway.example" }))))
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
      for (let hosts = 0; hosts < 3; hosts++) yield* deliveringHost(deliver)
      yield* advanceTime("10 seconds")
      assert.deepStrictEqual(seen.toSorted(), keys.map(({ made }) => made.id).toSorted())
      yield* advanceTime("2 minutes")
      assert.strictEqual(seen.length, 50)
    }).pipe(withOutbox)
  )

  it.effect("that come later are delivered later, those of one ordering key in order", () =>
    Effect.gen(function* () {
      const seen: Array<string> = []
      const first = yield* Deferred.make<void>()
      yield* deliveringHost(({ event }) => {
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
    }).pipe(withOutbox)
  )

  it.effect("are sixteen at once at most; the others wait", () =>
    Effect.gen(function* () {
      let begun = 0
      const go = yield* Deferred.make<void>()
      const all = yield* Deferred.make<void>()
      yield* Effect.replicateEffect(newKey, 40)
      yield* deliveringHost(() =>
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
    }).pipe(withOutbox)
  )

  it.effect("that fail are tried again after pauses", () =>
    Effect.gen(function* () {
      let attempts = 0
      yield* newKey
      yield* deliveringHost(() => Effect.suspend(() => refused(`no ${(attempts += 1)}`)))
      yield* advanceTime("1 second")
      assert.strictEqual(attempts, 1)
      yield* advanceTime("5 seconds")
      assert.strictEqual(attempts, 2)
      yield* advanceTime("1 minute")
      assert.strictEqual(attempts, 4)
    }).pipe(withOutbox)
  )

  it.effect("that fail to the last are given up, and forgotten after thirty days", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const [long, recent] = [yield* newKey, yield* newKey]
      const now = yield* DateTime.now
      for (let attempt = 1; attempt < maxAttempts; attempt++) {
        const claimed = yield* outbox.claim({ claim: ClaimId.make("earlier"), now, until: now, limit: 2 })
        for (const one of claimed) {
          if (one.event.id === long.made.id)
            yield* outbox.giveUp(one, { at: DateTime.subtract(now, { days: 31 }), reason: "old" })
          else yield* outbox.retry(one, now)
        }
      }
      yield* deliveringHost(() => refused("gone for good"))
      yield* advanceTime("5 seconds")
      assert.deepStrictEqual(
        (yield* dead).map(({ attempts, event, reason }) => ({ attempts, id: event.id, reason })),
        [{ attempts: maxAttempts, id: recent.made.id, reason: "gone for good" }]
      )
    }).pipe(withOutbox)
  )

  it.effect("wait as long as their receiver asked for", () =>
    Effect.gen(function* () {
      let attempts = 0
      yield* newKey
      yield* deliveringHost(() =>
        Effect.suspend(() => ((attempts += 1) === 1 ? refused("busy", Duration.minutes(10)) : Effect.void))
      )
      yield* advanceTime("9 minutes")
      assert.strictEqual(attempts, 1)
      yield* advanceTime("2 minutes")
      assert.strictEqual(attempts, 2)
    }).pipe(withOutbox)
  )

  it.effect("whose delivery hangs or dies are tried again", () =>
    Effect.gen(function* () {
      const ended: Array<string> = []
      let attempts = 0
      yield* newKey
      yield* deliveringHost(() =>
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
    }).pipe(withOutbox)
  )

  it.effect("that a stopping host was about to deliver are left to others at once", () =>
    Effect.gen(function* () {
      const seen: Array<SlipwayEvent["id"]> = []
      const { made } = yield* newKey
      yield* Effect.scoped(
        Effect.andThen(
          deliveringHost(() => Effect.never),
          advanceTime("1 second")
        )
      )
      yield* deliveringHost(({ event }) => Effect.sync(() => void seen.push(event.id)))
      yield* advanceTime("1 second")
      assert.deepStrictEqual(seen, [made.id])
    }).pipe(withOutbox)
  )
})

const add = (url: string, fields: Partial<Webhook> = {}) =>
  WebhookStore.use((store) => {
    const webhook = {
      id: WebhookId.make(idAt(1)),
      url,
      secret: `of ${url}`,
      types: [],
      createdAt: instant(1),
      ...fields
    }
    return Effect.as(store.insert(webhook), webhook)
  })

/** A key that was created and revoked: two events of one ordering key. */
const madeAndRevoked = (account: Account) =>
  Effect.gen(function* () {
    const keys = yield* KeyStore
    const key = makeKey(account)
    yield* keys.insert(key, makeEvent(key))
    yield* keys.revoke(key.id, instant(2), makeEvent(key, "key.revoked"))
  })

/** A host whose deliveries to URLs with `hangs` in them have no answer. It returns the deliveries in flight and the accepted ones. */
const hostBesideHanging = Effect.gen(function* () {
  const context = yield* Effect.context<Outbox | WebhookStore>()
  const hanging = new Map<string, number>()
  const served: Array<string> = []
  const change = (url: string, by: number) => Effect.sync(() => void hanging.set(url, (hanging.get(url) ?? 0) + by))
  const send: Send = ({ url }, event) =>
    url.includes("hangs")
      ? Effect.acquireUseRelease(
          change(url, 1),
          () => Effect.andThen(Effect.sleep("15 seconds"), new NotDelivered({ reason: "no answer in 15s" })),
          () => change(url, -1)
        )
      : Effect.sync(() => {
          served.push(event.id)
          return "answered 204"
        })
  yield* Layer.build(
    layerWebhookDelivery(Layer.empty, undefined, send).pipe(Layer.provide(Layer.succeedContext(context)))
  )
  return { hanging: () => [...hanging.values()], served }
})

/** Stores the events of making this many keys of an account. */
const keysMade = (account: Account, count: number) =>
  Effect.replicateEffect(
    Effect.gen(function* () {
      const key = makeKey(account)
      const event = makeEvent(key)
      yield* KeyStore.use((keys) => keys.insert(key, event))
      return event.id
    }),
    count
  )

const sum = (numbers: ReadonlyArray<number>): number => numbers.reduce((a, b) => a + b, 0)

/** A host that tells webhooks until the scope closes. It answers what each URL heard; those with `broken` in it fail. */
const host = Effect.fnUntraced(function* (own?: string, isFixed = () => false) {
  const context = yield* Effect.context<Outbox | WebhookStore>()
  const heard: Array<string> = []
  const send: Send = ({ secret, url }, event) => {
    heard.push(`${url} ${event.type}${Redacted.value(secret) === `of ${url}` ? "" : ", signed by another secret"}`)
    return url.includes("broken") && !isFixed()
      ? Effect.fail(new NotDelivered({ reason: "answered 500" }))
      : Effect.succeed("answered 204")
  }
  const target = own === undefined ? undefined : { url: own, secret: Redacted.make(`of ${own}`) }
  yield* Layer.build(layerWebhookDelivery(Layer.empty, target, send).pipe(Layer.provide(Layer.succeedContext(context))))
  return heard
})

const log = Effect.map(
  WebhookStore.use((store) => store.attempts({ limit: 100 })),
  (all) =>
    all.map(({ answer, attempt, status, type, webhook }) => ({ answer, attempt, status, type, webhook })).toReversed()
)

/** Runs a test on stores of its own, a while after the events of the samples. */
const alone = <A, E>(test: Effect.Effect<A, E, KeyStore | Outbox | WebhookStore | Settings | Scope.Scope>) =>
  Effect.andThen(TestClock.setTime(DateTime.toEpochMillis(instant(3_600_000))), test).pipe(
    Effect.provide(Layer.fresh(Layer.merge(layerMetadata, Settings.layer({ url: "https://slipway.example" }))))
  )

describe("several webhooks", () => {
  it.effect("hear each of all events, or of those of their account and their types, signed by their own secrets", () =>
    Effect.gen(function* () {
      const [acme, other] = [makeAccount(), makeAccount()]
      yield* add("all")
      yield* add("acme", { accountId: acme.id })
      yield* add("revoked", { types: ["key.revoked", "run.registered"] })
      const heard = yield* host("settings")
      yield* madeAndRevoked(acme)
      yield* madeAndRevoked(other)
      yield* advanceTime("10 seconds")
      assert.sameMembers(heard, [
        ...["settings", "settings", "all", "all", "acme"].flatMap((url) => [
          `${url} key.created`,
          `${url} key.revoked`
        ]),
        "revoked key.revoked",
        "revoked key.revoked"
      ])
    }).pipe(alone)
  )

  it.effect("receive events each in its own order: one that is broken holds up its own events alone", () =>
    Effect.gen(function* () {
      const [broken, works] = [yield* add("broken"), yield* add("works")]
      const heard = yield* host()
      yield* madeAndRevoked(makeAccount())
      yield* advanceTime("5 seconds")
      assert.deepStrictEqual(
        heard.filter((one) => one.startsWith("works")),
        ["works key.created", "works key.revoked"]
      )
      assert.deepStrictEqual(new Set(heard.filter((one) => one.startsWith("broken"))), new Set(["broken key.created"]))
      const failed = { answer: "answered 500", status: "failed", type: "key.created", webhook: broken.id } as const
      const delivered = { answer: "answered 204", attempt: 1, status: "delivered", webhook: works.id } as const
      const logged = yield* log
      assert.deepInclude(logged, { ...failed, attempt: 1 })
      assert.deepInclude(logged, { ...failed, attempt: 2 })
      assert.deepInclude(logged, { ...delivered, type: "key.created" })
      assert.deepInclude(logged, { ...delivered, type: "key.revoked" })
      assert.strictEqual(logged.length, heard.length)
    }).pipe(alone)
  )

  it.effect("that were removed receive nothing more, and one that failed to the last is in the log as given up", () =>
    Effect.gen(function* () {
      const outbox = yield* Outbox
      const [broken, gone] = [yield* add("broken"), yield* add("broken too")]
      yield* madeAndRevoked(makeAccount())
      yield* Effect.scoped(Effect.andThen(host(), advanceTime("1 second")))
      yield* (yield* WebhookStore).remove(gone.id)
      const now = yield* DateTime.now
      const later = DateTime.add(now, { days: 1 })
      for (let attempt = 2; attempt < maxAttempts; attempt++) {
        const claimed = yield* outbox.claim({ claim: ClaimId.make("earlier"), now: later, until: later, limit: 9 })
        for (const one of claimed) yield* outbox.retry(one, now)
      }
      const heard = yield* host()
      yield* advanceTime("3 seconds")
      assert.notInclude(heard, "broken too key.created")
      assert.deepStrictEqual(
        (yield* log).filter(({ status }) => status === "given up"),
        [{ answer: "answered 500", attempt: 16, status: "given up", type: "key.created", webhook: broken.id }]
      )
      assert.deepStrictEqual(
        (yield* outbox.dead({ limit: 9 })).map(({ event, webhook }) => [event.type, webhook]),
        [["key.created", broken.id]]
      )
    }).pipe(alone)
  )

  it.effect("are noticed within a second when they are added; while there are none, no events are stored", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context<WebhookStore>()
      const delivered = (isOwn: boolean) =>
        Effect.map(
          Layer.build(layerWebhookEventChannel(isOwn).pipe(Layer.provide(Layer.succeedContext(context)))),
          (services) => Effect.sync(() => Effect.runSync(Effect.provide(CurrentEventChannel, services))?.hasReceivers())
        )
      const [without, withOwn] = [yield* delivered(false), yield* delivered(true)]
      yield* advanceTime("1 second")
      assert.deepStrictEqual([yield* without, yield* withOwn], [false, true])
      const added = yield* add("all")
      yield* advanceTime("1 second")
      assert.isTrue(yield* without)
      yield* (yield* WebhookStore).remove(added.id)
      yield* advanceTime("1 second")
      assert.deepStrictEqual([yield* without, yield* withOwn], [false, true])
    }).pipe(alone)
  )

  it.effect("have a log that forgets what is older than thirty days", () =>
    Effect.gen(function* () {
      const store = yield* WebhookStore
      const now = yield* DateTime.now
      const attempt = {
        webhook: WebhookId.make("w"),
        event: makeEvent(makeKey(makeAccount())).id,
        type: "key.created"
      } as const
      for (const [days, attempts] of [[31, 1] as const, [29, 2] as const]) {
        const at = DateTime.subtractDuration(now, Duration.days(days))
        yield* store.log({ ...attempt, at, attempt: attempts, status: "delivered", answer: "" })
      }
      yield* host()
      yield* advanceTime("2 seconds")
      assert.deepStrictEqual(
        (yield* log).map(({ attempt }) => attempt),
        [2]
      )
    }).pipe(alone)
  )

  it.effect("are served beside sixty that hang, which have four deliveries each in flight, and one later", () =>
    Effect.gen(function* () {
      const works = makeAccount()
      yield* add("works", { accountId: works.id })
      for (let one = 0; one < 60; one++) {
        const account = makeAccount()
        yield* add(`hangs ${one}`, { accountId: account.id })
        yield* keysMade(account, 10)
      }
      const { hanging, served } = yield* hostBesideHanging
      yield* advanceTime("5 seconds")
      assert.deepStrictEqual(
        hanging(),
        Array.from({ length: 60 }, () => 4)
      )
      const first = yield* keysMade(works, 30)
      yield* advanceTime("5 seconds")
      assert.sameMembers(served, first)
      yield* advanceTime("1 minute")
      assert.isAbove(sum(hanging()), 0)
      assert.isAtMost(sum(hanging()), 16)
      assert.isTrue(hanging().every((count) => count <= 1))
      const later = yield* keysMade(works, 30)
      yield* advanceTime("5 seconds")
      assert.sameMembers(served, [...first, ...later])
    }).pipe(alone)
  )

  it.effect("that hang and end together ask the stores a few at a time", () =>
    Effect.gen(function* () {
      let [under, most] = [0, 0]
      /** Counts the calls under way; each lasts a while. */
      const counted = <A, E>(call: Effect.Effect<A, E>) =>
        Effect.acquireUseRelease(
          Effect.sync(() => void (most = Math.max(most, ++under))),
          () => Effect.andThen(Effect.yieldNow, call),
          () => Effect.sync(() => void under--)
        )
      const [webhooks, outbox] = [yield* WebhookStore, yield* Outbox]
      const stores = Layer.mergeAll(
        Layer.succeed(WebhookStore, {
          ...webhooks,
          find: (id) => counted(webhooks.find(id)),
          log: (attempt) => counted(webhooks.log(attempt)),
          changeState: (change) => counted(webhooks.changeState(change))
        }),
        Layer.succeed(Outbox, {
          ...outbox,
          retry: (claim, at) => counted(outbox.retry(claim, at)),
          passOn: (claimed, others) => counted(outbox.passOn(claimed, others))
        })
      )
      for (let one = 0; one < 60; one++) yield* add(`hangs ${one}`)
      yield* keysMade(makeAccount(), 1)
      const { hanging } = yield* Effect.provide(hostBesideHanging, stores)
      yield* advanceTime("10 seconds")
      assert.strictEqual(sum(hanging()), 60)
      yield* advanceTime("10 seconds")
      assert.isTrue((yield* webhooks.list).every(({ failingSince }) => failingSince !== undefined))
      assert.isAtMost(most, 2 * storeCallsOfDeliveries)
    }).pipe(alone)
  )

  it.effect("of each account have sixteen deliveries in flight, and those that wait for a permit lose no attempt", () =>
    Effect.gen(function* () {
      for (const account of [makeAccount(), makeAccount()]) {
        for (let one = 0; one < 30; one++) yield* add(`hangs ${one} ${account.id}`, { accountId: account.id })
        yield* keysMade(account, 1)
      }
      const { hanging } = yield* hostBesideHanging
      yield* advanceTime("5 seconds")
      assert.strictEqual(sum(hanging()), 32)
      const now = yield* DateTime.now
      const waiting = yield* Outbox.use((outbox) =>
        outbox.claim({ claim: ClaimId.make("another"), now, until: now, limit: 99 })
      )
      assert.deepStrictEqual(
        waiting.map(({ attempts }) => attempts),
        Array.from({ length: 28 }, () => 1)
      )
    }).pipe(alone)
  )

  it.effect("that fail are paused as long again as they have been failing, whatever waits for them", () =>
    Effect.gen(function* () {
      const account = makeAccount()
      yield* add("broken", { accountId: account.id })
      yield* keysMade(account, 500)
      const heard = yield* host()
      yield* advanceTime("10 minutes", "5 seconds")
      assert.isAtMost(heard.length, 30)
      const before = heard.length
      const store = yield* WebhookStore
      const [webhook] = yield* store.list
      if (webhook === undefined) return assert.fail("one webhook")
      assert.isDefined(webhook.failingSince)
      yield* store.changeState({ webhook, state: {} })
      yield* advanceTime("3 seconds")
      assert.isAbove(heard.length, before, "resumed")
    }).pipe(alone)
  )

  it.effect(
    "that fail for three days are disabled, their account is notified, and all that waited comes when they resume",
    () =>
      Effect.gen(function* () {
        const store = yield* WebhookStore
        const [acme, other] = [makeAccount(), makeAccount()]
        const failingSince = DateTime.subtract(yield* DateTime.now, { days: 3 })
        const broken = yield* add("broken", { accountId: acme.id, failingSince })
        yield* add("acme", { accountId: acme.id, types: ["webhook.disabled"] })
        yield* add("other", { accountId: other.id, types: ["webhook.disabled"] })
        let isFixed = false
        const heard = yield* host(undefined, () => isFixed)
        yield* keysMade(acme, 3)
        yield* advanceTime("1 minute")
        assert.deepStrictEqual(heard, ["broken key.created", "acme webhook.disabled"])
        const disabled = Option.getOrUndefined(yield* store.find(broken.id))
        assert.isDefined(disabled?.disabledAt)
        yield* keysMade(acme, 1)
        // Longer than the longest pause of a webhook that fails.
        yield* advanceTime("90 minutes", "1 minute")
        assert.strictEqual(heard.length, 2, "nothing is sent to it")
        isFixed = true
        if (disabled !== undefined) yield* store.changeState({ webhook: disabled, state: {} })
        yield* advanceTime("10 seconds")
        assert.deepStrictEqual(heard.slice(2).toSorted(), [
          ...Array.from({ length: 4 }, () => "broken key.created"),
          "broken webhook.disabled"
        ])
      }).pipe(alone)
  )
})
