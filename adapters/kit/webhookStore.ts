import { assert } from "@effect/vitest"
import { Context, Effect, Option, type DateTime } from "effect"
import { DeliveryAttempt, EventId, Webhook, WebhookId, type WebhookState } from "../../core/model/SlipwayEvent.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import { assertFound, idsOf, plainOf } from "./parts/plain.ts"
import { many } from "./parts/commits.ts"
import { epochs, idAt, instant, makeWebhook } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { newAccount } from "./parts/stored.ts"

/** What the cases need beside a `WebhookStore`: webhooks may belong to accounts. */
type WebhookPorts = AccountStore | WebhookStore

const plainWebhook = plainOf(Webhook)
const plainAttempt = plainOf(DeliveryAttempt)

const makeAttempt = (at: DateTime.Utc, fields: Partial<DeliveryAttempt> = {}): DeliveryAttempt => ({
  at,
  webhook: WebhookId.make("settings"),
  event: EventId.make(idAt(1)),
  type: "key.created",
  attempt: 1,
  status: "delivered",
  answer: "answered 204",
  ...fields
})

const logged = Effect.fnUntraced(function* (limit: number, webhook?: WebhookId) {
  return (yield* WebhookStore.use((store) => store.attempts({ webhook, limit }))).map((one) => plainAttempt(one))
})

export const webhookStoreCases = (it: Cases<WebhookPorts>) => {
  it.effect("a webhook is found and listed with every field unchanged, the oldest first", function* () {
    const store = yield* WebhookStore
    const account = yield* newAccount
    const [second, third, first] = [
      makeWebhook({ id: WebhookId.make(idAt(2)), accountId: account.id, types: ["run.registered", "key.created"] }),
      makeWebhook({ id: WebhookId.make(idAt(3)) }),
      makeWebhook({ id: WebhookId.make(idAt(1)) })
    ]
    for (const one of [second, third, first]) yield* store.insert(one)
    for (const one of [first, second, third]) assertFound(plainWebhook, yield* store.find(one.id), one)
    assert.deepStrictEqual(
      (yield* store.list).map((one) => plainWebhook(one)),
      [first, second, third].map((one) => plainWebhook(one))
    )
    assert.isTrue(Option.isNone(yield* store.find(WebhookId.make(first.id.toUpperCase()))))
  })

  it.effect("the state of a webhook is replaced where nobody else replaced it", function* () {
    const store = yield* WebhookStore
    const [healthy, other] = [makeWebhook(), makeWebhook()]
    for (const one of [healthy, other]) yield* store.insert(one)
    const failing = { ...healthy, failingSince: instant(8) }
    const disabled = { ...failing, disabledAt: instant(9) }
    const change = (webhook: Webhook, state: WebhookState) => store.changeState({ webhook, state })
    assert.isTrue(yield* change(healthy, { failingSince: instant(8) }))
    assert.isFalse(yield* change(healthy, { failingSince: instant(9) }))
    assertFound(plainWebhook, yield* store.find(healthy.id), failing)
    assert.isTrue(yield* change(failing, { failingSince: instant(8), disabledAt: instant(9) }))
    assert.isFalse(yield* change(failing, {}), "it was disabled meanwhile")
    assertFound(plainWebhook, yield* store.find(healthy.id), disabled)
    assertFound(plainWebhook, yield* store.find(other.id), other)
    assert.isTrue(yield* change(disabled, {}))
    assertFound(plainWebhook, yield* store.find(healthy.id), healthy)
    yield* store.remove(healthy.id)
    assert.isFalse(yield* change(healthy, { failingSince: instant(8) }))
  })

  it.effect("a webhook that is removed is not found, and others are", function* () {
    const store = yield* WebhookStore
    const [one, other] = [makeWebhook(), makeWebhook()]
    yield* store.insert(one)
    yield* store.insert(other)
    assert.isTrue(yield* store.remove(one.id))
    assert.isFalse(yield* store.remove(one.id))
    assert.isTrue(Option.isNone(yield* store.find(one.id)))
    assert.deepStrictEqual(idsOf(yield* store.list), [other.id])
  })

  it.onTwoHosts(
    "another host no longer finds a webhook that one host removes, though it has found it before",
    function* (other) {
      const store = yield* WebhookStore
      const elsewhere = Context.get(other, WebhookStore)
      const one = makeWebhook()
      yield* store.insert(one)
      assertFound(plainWebhook, yield* elsewhere.find(one.id), one)
      assert.strictEqual((yield* elsewhere.list).length, 1)
      yield* store.remove(one.id)
      assert.isTrue(Option.isNone(yield* elsewhere.find(one.id)))
      assert.deepStrictEqual(yield* elsewhere.list, [])
    }
  )

  it.effect("the log has each attempt with every field unchanged, the latest first, within the limit", function* () {
    const store = yield* WebhookStore
    const webhook = WebhookId.make(idAt(1))
    const attempts = [
      makeAttempt(instant(2), { webhook, attempt: 16, status: "given up", answer: "no answer in 15s é 漢 🙂" }),
      ...epochs.map((at) => makeAttempt(at)),
      makeAttempt(instant(2), { attempt: 2, status: "failed", answer: "" }),
      makeAttempt(instant(1), { webhook })
    ]
    for (const attempt of attempts) yield* store.log(attempt)
    const [late, early, future, again, before] = [0, 1, 2, 3, 4].map((index) =>
      Option.map(Option.fromUndefinedOr(attempts[index]), (one) => plainAttempt(one)).pipe(Option.getOrUndefined)
    )
    assert.deepStrictEqual(yield* logged(9), [future, again, late, before, early])
    assert.deepStrictEqual(yield* logged(2), [future, again])
    assert.deepStrictEqual(yield* logged(9, webhook), [late, before])
    assert.deepStrictEqual(yield* logged(1, webhook), [late])
    assert.deepStrictEqual(yield* logged(9, WebhookId.make(idAt(1))), [])
  })

  it.effect("many attempts that are logged at once are all stored", function* () {
    const store = yield* WebhookStore
    yield* Effect.forEach(many, (attempt) => store.log(makeAttempt(instant(1), { attempt })), {
      concurrency: "unbounded"
    })
    assert.sameMembers(
      (yield* store.attempts({ limit: 100 })).map(({ attempt }) => attempt),
      [...many]
    )
  })

  it.effect("attempts that ended before an instant are deleted, and no others", function* () {
    const store = yield* WebhookStore
    for (const at of [1, 2, 3]) yield* store.log(makeAttempt(instant(at), { attempt: at }))
    yield* store.expireAttempts({ before: instant(2), keep: 100 })
    assert.deepStrictEqual(
      (yield* logged(9)).map(({ attempt }) => attempt),
      [3, 2]
    )
  })

  it.effect("attempts before the latest that are kept are deleted, and no others", function* () {
    const store = yield* WebhookStore
    for (const at of [1, 2, 3, 4]) yield* store.log(makeAttempt(instant(at), { attempt: at }))
    yield* store.expireAttempts({ before: instant(0), keep: 4 })
    assert.strictEqual((yield* logged(9)).length, 4)
    yield* store.expireAttempts({ before: instant(0), keep: 2 })
    assert.deepStrictEqual(
      (yield* logged(9)).map(({ attempt }) => attempt),
      [4, 3]
    )
  })
}
