import { DateTime, Equal, Option, Order } from "effect"
import { WebhookId, type SlipwayEvent, type WebhookState } from "../../core/model/SlipwayEvent.ts"
import { DeliveryId, Outbox, type Claim } from "../../core/ports/Outbox.ts"
import { forWebhook, orderingKey } from "../../core/rules/events.ts"
import { orLeftOut, type Entry, type Run, type Transaction } from "./KeyValueStore.ts"
import { attempts, below, events, keyOf, take, takeAll, timeKey, walk, webhooks, type Posted } from "./tables.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"

type Who = Pick<Posted, "event" | "webhook">

const idOf = ({ event, webhook }: Who): string => forWebhook(event.id, webhook)
const orderingKeyOf = ({ event, webhook }: Who): string => forWebhook(orderingKey(event), webhook)
const positionKey = (posted: Posted): string =>
  keyOf("orderedEvents", orderingKeyOf(posted), timeKey(posted.position), idOf(posted))
/** The events that are due are listed by their time: those of each webhook apart, and those that weren't passed on. */
const dueOf = (webhook: WebhookId | undefined) =>
  webhook === undefined ? ["eventsDue"] : ["webhookEventsDue", webhook]
const dueKey = (posted: Posted): string => keyOf(...dueOf(posted.webhook), timeKey(posted.dueAt), idOf(posted))
const deadKey = (who: Who): string => keyOf("deadEvents", idOf(who))

/** The first or the last event of an ordering key. */
const end = async (tx: Transaction, who: Who, reverse: boolean): Promise<Posted | undefined> => {
  const [entry] = await tx.list({ ...below("orderedEvents", orderingKeyOf(who)), limit: 1, reverse })
  return entry && orLeftOut(() => events.find(tx, entry.value))
}

/** Lists an event as due. Only the first event of an ordering key is listed, because the others wait for it. */
const listDue = (tx: Transaction, posted: Posted): Promise<void> => tx.set(dueKey(posted), idOf(posted))

/** Stores an event in the transaction of the change that it reports, or for a webhook that it is passed on to. */
export const post = async (tx: Transaction, event: SlipwayEvent | undefined, webhook?: WebhookId): Promise<void> => {
  if (event === undefined) return
  const who: Who = webhook === undefined ? { event } : { event, webhook }
  const last = await end(tx, who, true)
  // The clocks of hosts differ, so time alone doesn't tell which commit was the later one.
  const position =
    last === undefined
      ? event.timestamp
      : DateTime.max(event.timestamp, DateTime.add(last.position, { milliseconds: 1 }))
  const posted = { ...who, attempts: 0, dueAt: event.timestamp, position }
  await events.put(tx, posted, idOf(who))
  await tx.set(positionKey(posted), idOf(who))
  if (last === undefined) await listDue(tx, posted)
}

/** Changes when an event is due. The event is listed if it is the first of its ordering key. */
const change = async (tx: Transaction, before: Posted, after: Posted): Promise<void> => {
  await events.put(tx, after, idOf(after))
  if ((await tx.get(dueKey(before))) === undefined) return
  await tx.remove(dueKey(before))
  await listDue(tx, after)
}

/** Removes an event from the queue of its ordering key, and lists the new first event. */
const leave = async (tx: Transaction, posted: Posted): Promise<void> => {
  await tx.remove(dueKey(posted))
  await tx.remove(positionKey(posted))
  const next = await end(tx, posted, false)
  if (next !== undefined) await listDue(tx, next)
}

/** Removes an event, delivered or not. */
export const removeEvent = async (tx: Transaction, posted: Posted): Promise<void> => {
  await leave(tx, posted)
  await tx.remove(deadKey(posted))
  await events.remove(tx, idOf(posted))
}

const unclaimed = (posted: Posted): Posted => {
  const { claim: _, ...others } = posted
  return others
}

const deliveryOf = ({ attempts, event, webhook }: Posted) => ({
  id: DeliveryId.make(forWebhook(event.id, webhook)),
  event,
  attempts,
  ...(webhook === undefined ? {} : { webhook })
})

/** The first events that are due at `now`, of a webhook or of those that weren't passed on. */
const dueAmong = async (tx: Transaction, webhook: WebhookId | undefined, now: DateTime.Utc, limit: number) => {
  const range = { from: below(...dueOf(webhook)).from, to: below(...dueOf(webhook), timeKey(now)).to, reverse: false }
  const find = async (entry: Entry) => {
    const posted = await orLeftOut(() => events.find(tx, entry.value))
    if (posted === undefined) await leaveUnreadable(tx, entry)
    return posted
  }
  return [...(await takeAll(limit, walk(tx, range), find))]
}

/** Removes an event that can't be decoded from its lists, so that those behind it are delivered. */
const leaveUnreadable = async (tx: Transaction, due: Entry): Promise<void> => {
  await tx.remove(due.key)
  for await (const { key, value } of walk(tx, { ...below("orderedEvents"), reverse: false })) {
    if (value !== due.value) continue
    await tx.remove(key)
    const [next] = await tx.list({ ...below("orderedEvents", partsOf(key)[1] ?? ""), limit: 1, reverse: false })
    const posted = next && (await orLeftOut(() => events.find(tx, next.value)))
    if (posted !== undefined) await listDue(tx, posted)
    return
  }
}

/** The webhooks that have undelivered events. */
async function* webhooksWaiting(tx: Transaction): AsyncGenerator<WebhookId> {
  let { from, to } = below("webhookEventsDue")
  for (;;) {
    const [first] = await tx.list({ from, to, limit: 1, reverse: false })
    if (first === undefined) return
    const webhook = WebhookId.make(decodeURIComponent(first.key.split("/")[1] ?? ""))
    yield webhook
    from = below("webhookEventsDue", webhook).to
  }
}

const byDue = Order.combine(
  Order.mapInput(DateTime.Order, (posted: Posted) => posted.dueAt),
  Order.mapInput(DateTime.Order, (posted: Posted) => posted.position)
)

/** Every event that is dead. */
const deadFrom = (tx: Transaction, from: string) => walk(tx, { ...below("deadEvents"), from, reverse: false })

export const outbox = (run: Run) => {
  /** Changes an event if the claim is its last one. */
  const claimed = ({ claim, id }: Claim, change: (tx: Transaction, posted: Posted) => Promise<void>) =>
    run(async (tx) => {
      const posted = await events.find(tx, id)
      if (posted === undefined || posted.claim !== claim) return false
      await change(tx, posted)
      return true
    })

  return Outbox.of({
    claim: ({ claim, limit, now, until, without = [] }) =>
      run(async (tx) => {
        const due = await dueAmong(tx, undefined, now, limit)
        for await (const webhook of webhooksWaiting(tx)) {
          if (!without.includes(webhook)) due.push(...(await dueAmong(tx, webhook, now, 1)))
        }
        const deliveries = due.toSorted(byDue).slice(0, limit)
        const taken = deliveries.map((posted) => ({ ...posted, claim, dueAt: until, attempts: posted.attempts + 1 }))
        for (const [index, posted] of deliveries.entries()) await change(tx, posted, taken[index] ?? posted)
        return taken.map((posted) => ({ ...deliveryOf(posted), claim }))
      }),
    done: (claim) =>
      claimed(claim, async (tx, posted) => {
        await leave(tx, posted)
        await events.remove(tx, idOf(posted))
      }),
    release: (claim, dueAt) =>
      claimed(claim, (tx, posted) =>
        change(tx, posted, { ...unclaimed(posted), dueAt, attempts: posted.attempts - 1 })
      ),
    passOn: (claim, webhooks) =>
      claimed(claim, async (tx, posted) => {
        await leave(tx, posted)
        await events.remove(tx, idOf(posted))
        for (const webhook of webhooks) await post(tx, posted.event, webhook)
      }),
    retry: (claim, dueAt) => claimed(claim, (tx, posted) => change(tx, posted, { ...unclaimed(posted), dueAt })),
    giveUp: (claim, { at, reason }) =>
      claimed(claim, async (tx, posted) => {
        await leave(tx, posted)
        await events.put(tx, { ...unclaimed(posted), died: { deadAt: at, reason } }, idOf(posted))
        await tx.set(deadKey(posted), idOf(posted))
      }),
    dead: ({ after, limit }) =>
      run((tx) => {
        const from = after === undefined ? below("deadEvents").from : `${keyOf("deadEvents", after)}\0`
        return take(limit, deadFrom(tx, from), async ({ value }) => {
          const posted = await events.find(tx, value)
          return posted?.died && { ...deliveryOf(posted), ...posted.died }
        })
      }),
    replay: (id, dueAt) =>
      run(async (tx) => {
        const before = await events.find(tx, id)
        if (before?.died === undefined) return false
        const { died: _, ...live } = before
        const posted: Posted = { ...live, attempts: 0, dueAt }
        const first = await end(tx, posted, false)
        await tx.remove(deadKey(posted))
        await events.put(tx, posted, id)
        await tx.set(positionKey(posted), id)
        const now = await end(tx, posted, false)
        if (now === undefined || idOf(now) !== id) return true
        if (first !== undefined) await tx.remove(dueKey(first))
        await listDue(tx, posted)
        return true
      }),
    expireDead: (before) =>
      run(async (tx) => {
        const over = await take(Infinity, deadFrom(tx, below("deadEvents").from), async ({ value }) => {
          const posted = await events.find(tx, value)
          return posted?.died !== undefined && DateTime.isLessThan(posted.died.deadAt, before) ? posted : undefined
        })
        for (const posted of over) {
          await tx.remove(deadKey(posted))
          await events.remove(tx, idOf(posted))
        }
        return over.length
      }),
    deleteWaiting: (webhook, before) =>
      run(async (tx) => {
        const over = await take(Infinity, walk(tx, { ...below("event"), reverse: false }), async ({ key }) => {
          const posted = await events.find(tx, ...key.split("/").slice(1).map(decodeURIComponent))
          const isOver =
            posted?.webhook === webhook &&
            posted.died === undefined &&
            DateTime.isLessThan(posted.event.timestamp, before)
          return isOver ? posted : undefined
        })
        for (const posted of over) await removeEvent(tx, posted)
        return over.length
      })
  })
}

/** The entries of the log, the latest first. */
const latest = (tx: Transaction) => walk(tx, { ...below("attempt"), reverse: true })

const partsOf = (key: string): ReadonlyArray<string> => key.split("/").slice(1).map(decodeURIComponent)

const isSameState = (a: WebhookState, b: WebhookState): boolean =>
  Equal.equals(a.failingSince, b.failingSince) && Equal.equals(a.disabledAt, b.disabledAt)

/** A number in the order of a time that is as long for every number. */
const nextPosition = async (tx: Transaction, time: string): Promise<string> => {
  const [last] = await tx.list({ ...below("attempt", time), limit: 1, reverse: true })
  const [, place = "0"] = last === undefined ? [] : partsOf(last.key)
  return String(Number(place) + 1).padStart(17, "0")
}

export const webhookStore = (run: Run) =>
  WebhookStore.of({
    insert: (webhook) => run((tx) => webhooks.put(tx, webhook, webhook.id)),
    find: (id) => run(async (tx) => Option.fromUndefinedOr(await webhooks.find(tx, id))),
    list: run((tx) =>
      take(Infinity, walk(tx, { ...below("webhook"), reverse: false }), ({ key }) => webhooks.find(tx, ...partsOf(key)))
    ),
    changeState: ({ event, state, webhook }) =>
      run(async (tx) => {
        const stored = await webhooks.find(tx, webhook.id)
        if (stored === undefined || !isSameState(stored, webhook)) return false
        const { disabledAt: _, failingSince: __, ...lasting } = stored
        await webhooks.put(tx, { ...lasting, ...state }, webhook.id)
        await post(tx, event)
        return true
      }),
    remove: (id) =>
      run(async (tx) => {
        const isThere = (await webhooks.find(tx, id)) !== undefined
        await webhooks.remove(tx, id)
        return isThere
      }),
    log: (attempt) =>
      run(async (tx) => {
        const time = timeKey(attempt.at)
        await attempts.put(tx, attempt, time, await nextPosition(tx, time))
      }),
    attempts: ({ limit, webhook }) =>
      run((tx) =>
        take(limit, latest(tx), async ({ key }) => {
          const attempt = await attempts.find(tx, ...partsOf(key))
          return webhook === undefined || attempt?.webhook === webhook ? attempt : undefined
        })
      ),
    expireAttempts: ({ before, keep }) =>
      run(async (tx) => {
        let count = 0
        let last: DateTime.Utc | undefined
        const over = await take(Infinity, latest(tx), async ({ key }) => {
          const attempt = await attempts.find(tx, ...partsOf(key))
          if (attempt === undefined) return undefined
          if (++count <= keep) last = attempt.at
          const isBehind = count > keep && last !== undefined && DateTime.isLessThan(attempt.at, last)
          return isBehind || DateTime.isLessThan(attempt.at, before) ? key : undefined
        })
        for (const key of over) await tx.remove(key)
      })
  })
