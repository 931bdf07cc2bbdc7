import { assert } from "@effect/vitest"
import { Effect, type DateTime } from "effect"
import { WebhookId } from "../../core/model/SlipwayEvent.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { DeliveryId, Outbox } from "../../core/ports/Outbox.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import type { QuarantineStore } from "../../core/ports/QuarantineStore.ts"
import type { TestHistoryStore } from "../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import type { TrustStore } from "../../core/ports/TrustStore.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import { newHome, type BuildPorts } from "./parts/stored.ts"
import {
  allDue,
  assertPublished,
  claim,
  claimId,
  claimIds,
  claimOne,
  dead,
  many,
  now,
  until,
  wheneverInterrupted
} from "./parts/commits.ts"
import { assertPages, idsOf, plainEvent } from "./parts/plain.ts"
import { idAt, instant, makeEvent, makeKey, makeShareLink } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

/** What the cases need beside an `Outbox`: the stores whose commits write events. */
type OutboxPorts =
  | BuildPorts
  | KeyStore
  | Outbox
  | PreviewStore
  | QuarantineStore
  | ShareLinkStore
  | TestHistoryStore
  | TestRunStore
  | TrustStore
  | WebhookStore

/** A key, stored with the event of its making at this time. */
const newKeyAt = Effect.fnUntraced(function* (at: number) {
  const { account } = yield* newHome
  const key = makeKey(account)
  const made = makeEvent(key, "key.created", at)
  yield* (yield* KeyStore).insert(key, made)
  return { key, made }
})

const newKey = newKeyAt(1)

/** A new key that was revoked again: two events with one ordering key. */
const madeAndRevoked = Effect.gen(function* () {
  const { key, made } = yield* newKey
  const revoked = makeEvent(key, "key.revoked", 2)
  yield* (yield* KeyStore).revoke(key.id, instant(2), revoked)
  return { key, made, revoked }
})

export const outboxCases = (it: Cases<OutboxPorts>) => {
  assertPublished(it)

  it.effect("a revocation of what is unknown or another account's stores no event", function* () {
    const [keys, links, { account }] = [yield* KeyStore, yield* ShareLinkStore, yield* newHome]
    const key = makeKey(account)
    yield* keys.revoke(key.id, instant(4), makeEvent(key))
    const link = makeShareLink(account)
    yield* links.insert(link)
    yield* links.revoke((yield* newHome).account.id, link.id, instant(4), makeEvent(key))
    assert.deepStrictEqual(yield* allDue, [])
  })

  it.effect("the events of one resource are claimed one after another, in the order of their commits", function* () {
    const outbox = yield* Outbox
    const { made, revoked } = yield* madeAndRevoked
    const first = yield* claimOne()
    assert.strictEqual(first.event.id, made.id)
    assert.deepStrictEqual(yield* claim(), [], "the second, before the first is done")
    assert.isTrue(yield* outbox.retry(first, instant(1500)))
    assert.deepStrictEqual(yield* claim(), [], "the second, while the first waits to be tried again")
    const again = yield* claimOne(instant(1500))
    assert.deepStrictEqual([again.event.id, again.attempts], [made.id, 2])
    assert.isTrue(yield* outbox.done(again))
    assert.deepStrictEqual(yield* claimIds(), [revoked.id])
  })

  it.effect("a claim has no more than its limit, those that were due first", function* () {
    const outbox = yield* Outbox
    const [a, b, c] = [yield* newKeyAt(1), yield* newKeyAt(2), yield* newKeyAt(3)]
    for (const [one, at] of [[yield* claim(now, 1), 900] as const, [yield* claim(now, 1), 800] as const]) {
      assert.strictEqual(one.length, 1)
      for (const claimed of one) assert.isTrue(yield* outbox.retry(claimed, instant(at)))
    }
    assert.sameMembers(yield* claimIds(now, 2), [c.made.id, b.made.id])
    assert.deepStrictEqual(yield* claimIds(now, 2), [a.made.id])
  })

  it.effect("an event is not claimed before its time", function* () {
    const { made } = yield* newKey
    assert.deepStrictEqual(yield* claim(instant(0)), [])
    assert.deepStrictEqual(yield* claimIds(made.timestamp), [made.id])
  })

  it.effect("a claimed event is not claimed again before the claim ends, and is due from then on", function* () {
    const { made } = yield* newKey
    assert.strictEqual((yield* claim()).length, 1)
    assert.deepStrictEqual(yield* claim(instant(1999)), [])
    const again = yield* claimOne(until)
    assert.deepStrictEqual([again.event.id, again.attempts], [made.id, 2])
  })

  it.effect("an event that is due between two milliseconds is claimed once", function* () {
    const outbox = yield* Outbox
    const { made } = yield* newKey
    for (let parts = 0.1; parts < 1; parts += 0.2) {
      for (const one of yield* claim(instant(1e6))) assert.isTrue(yield* outbox.retry(one, instant(1500 + parts)))
      const [again, ...others] = yield* claim(instant(1501))
      assert.deepStrictEqual([again?.event.id, others], [made.id, []], `${parts}`)
      assert.deepStrictEqual(yield* claim(instant(1501)), [], `claimed already, ${parts}`)
    }
  })

  it.effect("many claims at once get every event, and no two get the same one", function* () {
    const keys = yield* Effect.replicateEffect(newKey, 40)
    const ids = (yield* Effect.forEach(many, () => claimIds(now, 5), { concurrency: "unbounded" })).flat()
    const all = [...ids, ...(yield* claimIds())]
    assert.sameMembers(all, idsOf(keys.map(({ made }) => made)))
    assert.isAbove(ids.length, 0)
  })

  it.effect("an event that is done is never claimed again", function* () {
    const outbox = yield* Outbox
    yield* newKey
    for (const one of yield* claim()) {
      assert.isTrue(yield* outbox.done(one))
      assert.isFalse(yield* outbox.done(one))
    }
    assert.deepStrictEqual(yield* allDue, [])
    assert.deepStrictEqual(yield* dead, [])
  })

  it.effect("only the last claim of an event counts", function* () {
    const outbox = yield* Outbox
    const { made } = yield* newKey
    const [early, late] = [yield* claimOne(), yield* claimOne(until)]
    assert.isFalse(yield* outbox.done(early))
    assert.isFalse(yield* outbox.retry(early, now))
    assert.isFalse(yield* outbox.giveUp(early, { at: now, reason: "late" }))
    assert.deepStrictEqual(yield* claim(until), [])
    assert.isTrue(yield* outbox.retry(late, now))
    assert.isFalse(yield* outbox.done(late), "a claim that has ended")
    assert.deepStrictEqual(yield* allDue, [made.id])
  })

  it.effect(
    "an event that is passed on is claimed separately for each webhook, in the order of its resource",
    function* () {
      const outbox = yield* Outbox
      const { made, revoked } = yield* madeAndRevoked
      const webhooks = [WebhookId.make(idAt(1)), WebhookId.make(idAt(2))] as const
      const both = (at: DateTime.Utc) =>
        Effect.map(claim(at), (all) => all.toSorted((a, b) => (String(a.webhook) < String(b.webhook) ? -1 : 1)))
      const first = yield* claimOne()
      assert.isUndefined(first.webhook)
      assert.isTrue(yield* outbox.passOn(first, webhooks))
      const passed = yield* both(now)
      const later = passed.find((one) => one.webhook === undefined)
      const of = passed.filter((one) => one.webhook !== undefined)
      assert.deepStrictEqual(
        of.map(({ event, webhook }) => [webhook, plainEvent(event)]),
        webhooks.map((webhook) => [webhook, plainEvent(made)])
      )
      const [fails, works] = of
      if (fails === undefined || works === undefined || later === undefined) return assert.fail("three events")
      assert.strictEqual(later.event.id, revoked.id)
      assert.notStrictEqual(fails.id, works.id)
      assert.isTrue(yield* outbox.passOn(later, webhooks))
      assert.isTrue(yield* outbox.done(works))
      assert.isTrue(yield* outbox.giveUp(fails, { at: now, reason: "answered 500" }))
      const [died] = yield* outbox.dead({ limit: 9 })
      assert.deepStrictEqual([died?.id, died?.webhook, died?.event.id], [fails.id, fails.webhook, made.id])
      assert.isTrue(yield* outbox.replay(fails.id, instant(1)))
      const next = yield* both(instant(5000))
      assert.deepStrictEqual(
        next.map(({ event, webhook }) => [webhook, event.id]),
        [
          [fails.webhook, made.id],
          [works.webhook, revoked.id]
        ],
        "one that fails holds up only its own"
      )
      for (const one of next) assert.isTrue(yield* outbox.done(one))
      const [last] = yield* claim(instant(9000))
      assert.deepStrictEqual([last?.webhook, last?.event.id], [fails.webhook, revoked.id])
    }
  )

  it.effect("a claim has one event for each webhook, those due first, and none for webhooks left out", function* () {
    const outbox = yield* Outbox
    const [busy, other] = [WebhookId.make(idAt(1)), WebhookId.make(idAt(2))]
    const keys = [yield* newKeyAt(1), yield* newKeyAt(2), yield* newKeyAt(3)]
    for (const one of yield* claim()) yield* outbox.passOn(one, [busy, other])
    const unrouted = yield* newKeyAt(4)
    const next = (limit: number, without: ReadonlyArray<WebhookId>) =>
      Effect.map(outbox.claim({ claim: claimId(), now, until, limit, without }), (claimed) =>
        claimed.map(({ event, webhook }) => [webhook, event.id])
      )
    assert.sameDeepMembers(yield* next(9, []), [
      [busy, keys[0]?.made.id],
      [other, keys[0]?.made.id],
      [undefined, unrouted.made.id]
    ])
    assert.deepStrictEqual(yield* next(9, [busy]), [[other, keys[1]?.made.id]])
    assert.deepStrictEqual(yield* next(1, []), [[busy, keys[1]?.made.id]])
    assert.deepStrictEqual(yield* next(9, [busy, other]), [])
  })

  it.effect("a claim that is released doesn't count as an attempt", function* () {
    const outbox = yield* Outbox
    yield* newKey
    const first = yield* claimOne()
    assert.isTrue(yield* outbox.release(first, instant(1500)))
    assert.isFalse(yield* outbox.release(first, instant(1500)))
    assert.deepStrictEqual(yield* claim(instant(1499)), [], "before its time")
    const [again] = yield* claim(instant(1500))
    assert.deepStrictEqual([again?.id, again?.attempts], [first.id, 1])
  })

  it.effect("events that wait for a webhook and happened before an instant are deleted, and no others", function* () {
    const outbox = yield* Outbox
    const [disabled, other] = [WebhookId.make(idAt(1)), WebhookId.make(idAt(2))]
    const [old, recent] = [yield* newKeyAt(1), yield* newKeyAt(5)]
    for (const one of yield* claim()) yield* outbox.passOn(one, [disabled, other])
    assert.strictEqual(yield* outbox.deleteWaiting(disabled, old.made.timestamp), 0)
    assert.strictEqual(yield* outbox.deleteWaiting(disabled, recent.made.timestamp), 1)
    const found = [...(yield* claim()), ...(yield* claim())].map(({ event, webhook }) => [webhook, event.id])
    assert.sameDeepMembers(found, [
      [disabled, recent.made.id],
      [other, old.made.id],
      [other, recent.made.id]
    ])
  })

  it.effect("only the last claim passes an event on, to every webhook or to none", function* () {
    const outbox = yield* Outbox
    yield* newKey
    const [early, late] = [yield* claimOne(), yield* claimOne(until)]
    assert.isFalse(yield* outbox.passOn(early, [WebhookId.make(idAt(1))]))
    assert.isTrue(yield* outbox.done(late))
    assert.deepStrictEqual(yield* allDue, [])
    yield* wheneverInterrupted(
      Effect.gen(function* () {
        yield* newKey
        const claimed = yield* claimOne()
        return {
          run: outbox.passOn(claimed, [WebhookId.make(idAt(1)), WebhookId.make(idAt(2))]),
          check: Effect.gen(function* () {
            const found = yield* claim(instant(1e9))
            assert.include([1, 2], found.length)
            for (const one of found) {
              assert.strictEqual(one.webhook === undefined, found.length === 1)
              assert.isTrue(yield* outbox.done(one))
            }
          })
        }
      })
    )
  })

  it.effect("an event that is given up is kept as dead, and the next event of its resource is due", function* () {
    const outbox = yield* Outbox
    const { made, revoked } = yield* madeAndRevoked
    const first = yield* claimOne()
    assert.isTrue(yield* outbox.giveUp(first, { at: instant(1234), reason: "answered 404 é" }))
    assert.deepStrictEqual(yield* dead, [
      { attempts: 1, deadAt: instant(1234), event: plainEvent(made), reason: "answered 404 é" }
    ])
    assert.deepStrictEqual(yield* allDue, [revoked.id])
  })

  it.effect("dead events are listed by their ids, after one, within the limit", function* () {
    const outbox = yield* Outbox
    yield* Effect.replicateEffect(newKey, 3)
    const claimed = yield* claim()
    for (const one of claimed) yield* outbox.giveUp(one, { at: now, reason: "no" })
    yield* assertPages(idsOf(claimed).toSorted(), (limit, after) => Effect.map(outbox.dead({ after, limit }), idsOf))
  })

  it.effect("a replayed event is due at its time, with no attempts, in its former order", function* () {
    const outbox = yield* Outbox
    const { made } = yield* madeAndRevoked
    for (const one of yield* claim()) yield* outbox.giveUp(one, { at: now, reason: "no" })
    const id = DeliveryId.make(made.id)
    assert.isFalse(yield* outbox.replay(DeliveryId.make("unknown"), now))
    assert.isTrue(yield* outbox.replay(id, instant(3000)))
    assert.isFalse(yield* outbox.replay(id, instant(1)), "it is dead no more")
    assert.deepStrictEqual(yield* dead, [])
    assert.deepStrictEqual(yield* claim(instant(2999)), [], "before its time")
    const again = yield* claimOne(instant(3000))
    assert.deepStrictEqual([again.event.id, again.attempts], [made.id, 1])
  })

  it.effect("events that died before an instant are deleted, and no others", function* () {
    const outbox = yield* Outbox
    yield* Effect.replicateEffect(newKey, 4)
    const [a, b, c] = yield* claim(now, 3)
    if (a === undefined || b === undefined || c === undefined) return assert.fail("three claims")
    yield* outbox.giveUp(a, { at: instant(1), reason: "no" })
    yield* outbox.giveUp(b, { at: instant(2), reason: "no" })
    assert.strictEqual(yield* outbox.expireDead(instant(2)), 1)
    assert.deepStrictEqual(idsOf((yield* dead).map(({ event }) => event)), [b.event.id])
    assert.isFalse(yield* outbox.replay(a.id, now))
    assert.isTrue(yield* outbox.done(c))
    assert.strictEqual((yield* claim()).length, 1)
  })
}
