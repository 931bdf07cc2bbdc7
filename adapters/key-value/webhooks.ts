import { DateTime, Equal, Option } from "effect"
import type { WebhookState } from "../../core/model/Webhook.ts"
import { WebhookStore } from "../../core/ports/WebhookStore.ts"
import { below, timeKey } from "./keys.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { post } from "./outbox.ts"
import type { Run } from "./run.ts"
import { attempts, take, walk, webhooks } from "./tables.ts"

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
        let kept = 0
        let last: DateTime.Utc | undefined
        const over = await take(Infinity, latest(tx), async ({ key }) => {
          const attempt = await attempts.find(tx, ...partsOf(key))
          if (attempt === undefined) return undefined
          if (++kept <= keep) last = attempt.at
          const isBehind = kept > keep && last !== undefined && DateTime.isLessThan(attempt.at, last)
          return isBehind || DateTime.isLessThan(attempt.at, before) ? key : undefined
        })
        for (const key of over) await tx.remove(key)
      })
  })
