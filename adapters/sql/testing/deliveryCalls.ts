/** Calls of the ports of rates, of the delivery of events, and of the audit log. */
import { Effect } from "effect"
import { EventId, type SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { ClaimId, DeliveryId, Outbox } from "../../../core/ports/Outbox.ts"
import { RateStore } from "../../../core/ports/RateStore.ts"
import { WebhookId } from "../../../core/model/WebhookId.ts"
import { AuditEntryId } from "../../../core/model/AuditEntry.ts"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import type { Prepared } from "./calls.ts"
import { idAt, instant, makeWebhook, makeAuditEntry } from "../../kit/parts/samples.ts"

/** The calls, to be made once and in order, after the event was stored. */
export const deliveryCalls = Effect.fnUntraced(function* ({ account, key }: Prepared, publishedEvent: SlipwayEvent) {
  const rates = yield* RateStore
  const outbox = yield* Outbox
  const webhooks = yield* WebhookStore
  const auditLog = yield* AuditLog
  const keys = yield* KeyStore
  const another = () => ({ ...publishedEvent, id: EventId.make(idAt(1)) })
  const taking = { bucket: "key:k1", cost: 1000, capacity: 10_000, now: Date.UTC(2150, 0, 1) }
  const claim = {
    id: DeliveryId.make(publishedEvent.id),
    event: publishedEvent,
    attempts: 1,
    claim: ClaimId.make("a claim")
  }
  const webhook = WebhookId.make("a webhook")
  const stored = makeWebhook({ id: webhook, accountId: account.id, types: ["key.created"] })
  const failing = { failingSince: instant(2) }
  const attempt = {
    at: instant(20),
    webhook,
    event: publishedEvent.id,
    type: publishedEvent.type,
    attempt: 1,
    status: "delivered" as const,
    answer: "answered 204"
  }
  const asClaimed = { claim: claim.claim, now: instant(10), until: instant(20), limit: 10 }

  return {
    "RateStore.consume": rates.consume(taking),
    "RateStore.consume, without room": rates.consume({ ...taking, capacity: taking.cost }),
    "RateStore.deleteFull": rates.deleteFull(taking.now, 10),
    "Outbox.claim": outbox.claim(asClaimed),
    "Outbox.retry": outbox.retry(claim, instant(11)),
    "Outbox.claim, again": outbox.claim({ ...asClaimed, now: instant(11) }),
    "Outbox.giveUp": outbox.giveUp(claim, { at: instant(12), reason: "answered 404" }),
    "Outbox.dead": outbox.dead({ limit: 10 }),
    "Outbox.dead, behind one": outbox.dead({ after: DeliveryId.make("e5"), limit: 10 }),
    "Outbox.replay": outbox.replay(claim.id, instant(13)),
    "Outbox.claim, replayed": outbox.claim({ ...asClaimed, now: instant(13) }),
    "Outbox.passOn": outbox.passOn(claim, [webhook]),
    "Outbox.claim, without a webhook": outbox.claim({ ...asClaimed, now: instant(13), without: [webhook] }),
    "Outbox.release": outbox.release(claim, instant(13)),
    "Outbox.done": outbox.done(claim),
    "Outbox.expireDead": outbox.expireDead(instant(14)),
    "Outbox.deleteWaiting": outbox.deleteWaiting(webhook, instant(14)),
    "WebhookStore.insert": webhooks.insert(stored),
    "WebhookStore.changeState": webhooks.changeState({ webhook: stored, state: failing }),
    "WebhookStore.changeState, with an event": webhooks.changeState({
      webhook: { ...stored, ...failing },
      state: { ...failing, disabledAt: instant(3) },
      event: another()
    }),
    "WebhookStore.find": webhooks.find(webhook),
    "WebhookStore.list": webhooks.list,
    "WebhookStore.log": webhooks.log(attempt),
    "WebhookStore.attempts": webhooks.attempts({ limit: 10 }),
    "WebhookStore.attempts, of a webhook": webhooks.attempts({ webhook, limit: 10 }),
    "WebhookStore.expireAttempts": webhooks.expireAttempts({ before: instant(1), keep: 10 }),
    "WebhookStore.remove": webhooks.remove(webhook),
    "AuditLog.record": auditLog.record(keys.revoke(key.id, instant(9)), () =>
      makeAuditEntry({ accountId: account.id })
    ),
    "AuditLog.list": auditLog.list({ limit: 10 }),
    "AuditLog.list, of an account": auditLog.list({ account: account.id, before: AuditEntryId.make("z"), limit: 10 }),
    "AuditLog.expire": auditLog.expire({ before: instant(1), limit: 10 })
  } satisfies Record<string, Effect.Effect<unknown, unknown>>
})
