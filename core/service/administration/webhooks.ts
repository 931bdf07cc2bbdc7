import { DateTime, Effect, Option, Schema, Struct } from "effect"
import { SecureRandom } from "effect/crypto/SecureRandom"
import { WebhookId } from "../../model/WebhookId.ts"
import { withoutUndefined } from "../../model/withoutUndefined.ts"
import { AccountStore } from "../../ports/AccountStore.ts"
import { Outbox, type DeadEvent, type DeliveryId } from "../../ports/Outbox.ts"
import { WebhookStore } from "../../ports/WebhookStore.ts"
import { Conflict } from "../../ports/Conflict.ts"
import { retryOnConflict } from "../retryOnConflict.ts"
import { makeAuditing } from "../auditing.ts"
import { makeAccountNamed } from "./accountNamed.ts"
import { ofWebhook } from "../auditSubjects.ts"
import type { Commands } from "./Commands.ts"
import { refuse } from "./refuse.ts"

const encodeBase64 = Schema.encodeSync(Schema.Uint8ArrayFromBase64)

/** Webhooks, what they were sent, and events that were given up. */
export const makeWebhookCommands = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const outbox = yield* Outbox
  const webhooks = yield* WebhookStore
  const random = yield* SecureRandom
  const accountNamed = yield* makeAccountNamed
  const auditing = yield* makeAuditing

  const commands: Commands<
    | "listDeadEvents"
    | "replayEvent"
    | "addWebhook"
    | "listWebhooks"
    | "removeWebhook"
    | "resumeWebhook"
    | "listDeliveryAttempts"
  > = {
    listDeadEvents: Effect.fn("Administration.listDeadEvents")(function* () {
      const all: Array<DeadEvent> = []
      let after: DeliveryId | undefined
      do {
        const page = yield* outbox.dead({ after, limit: 100 })
        all.push(...page)
        after = page.at(-1)?.id
      } while (after !== undefined)
      return all
    }),

    replayEvent: Effect.fn("Administration.replayEvent")(function* ({ id }) {
      if (!(yield* outbox.replay(id, yield* DateTime.now))) {
        return yield* refuse(`No event with the id ${id} was given up.`)
      }
    }),

    addWebhook: Effect.fn("Administration.addWebhook")(function* (params) {
      const account = params.account === undefined ? undefined : yield* accountNamed(params.account)
      const secret = `whsec_${encodeBase64(yield* random.randomBytes(32))}`
      const webhook = {
        id: WebhookId.make(yield* random.uuidV7()),
        url: params.url,
        types: [...new Set(params.types)],
        createdAt: yield* DateTime.now,
        ...withoutUndefined({ accountId: account?.id })
      }
      yield* auditing(ofWebhook("webhook.created", webhook, webhook.createdAt), webhooks.insert({ ...webhook, secret }))
      return { webhook, secret, ...withoutUndefined({ account }) }
    }),

    listWebhooks: Effect.fn("Administration.listWebhooks")(function* () {
      const known = yield* accounts.list
      return (yield* webhooks.list).map((webhook) => ({
        webhook: Struct.omit(webhook, ["secret"]),
        ...withoutUndefined({ account: known.find(({ id }) => id === webhook.accountId) })
      }))
    }),

    removeWebhook: Effect.fn("Administration.removeWebhook")(function* ({ id }) {
      const webhook = Option.getOrUndefined(yield* webhooks.find(id))
      const removed =
        webhook !== undefined &&
        (yield* auditing(
          ofWebhook("webhook.removed", webhook, yield* DateTime.now),
          webhooks.remove(id),
          (wasThere) => wasThere
        ))
      if (!removed) return yield* refuse(`There is no webhook with the id ${id}.`)
    }),

    resumeWebhook: Effect.fn("Administration.resumeWebhook")(function* ({ id }) {
      const resume = Effect.gen(function* () {
        const webhook = Option.getOrUndefined(yield* webhooks.find(id))
        if (webhook === undefined) return yield* refuse(`There is no webhook with the id ${id}.`)
        const isChanged = yield* auditing(
          ofWebhook("webhook.resumed", webhook, yield* DateTime.now),
          webhooks.changeState({ webhook, state: {} }),
          (changed) => changed
        )
        if (!isChanged) return yield* new Conflict()
      })
      yield* retryOnConflict(resume)
    }),

    listDeliveryAttempts: (query) => webhooks.attempts(query)
  }
  return commands
})
