import { Effect, Option } from "effect"
import { WebhookId } from "../../../core/model/WebhookId.ts"
import { WebhookStore } from "../../../core/ports/WebhookStore.ts"
import { after } from "../parts/samples.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"
import { caching } from "./twoHosts.ts"

type Store = WebhookStore["Service"]

/** Adds attempts to a log that is read as a whole and written as a whole. */
const losesOfTwo = (store: Store): Partial<Store> => {
  let isWriting = false
  return {
    log: Effect.fnUntraced(function* (attempt) {
      if (isWriting) return
      isWriting = true
      yield* Effect.yieldNow
      yield* store.log(attempt)
      isWriting = false
    })
  }
}

export const webhookMutants: MetadataFaults = {
  "a webhook is found and listed with every field unchanged, the oldest first": {
    "loses the types of a webhook": altered(WebhookStore, (store) => ({
      insert: (webhook) => store.insert({ ...webhook, types: [] })
    })),
    "finds webhooks without regard to case": altered(WebhookStore, (store) => ({
      find: (id) => store.find(WebhookId.make(id.toLowerCase()))
    }))
  },
  "the state of a webhook is replaced where nobody else replaced it": {
    "replaces the state of a webhook that was changed meanwhile": altered(WebhookStore, (store) => ({
      changeState: (change) =>
        Effect.flatMap(store.find(change.webhook.id), (found) =>
          store.changeState({ ...change, webhook: Option.getOrElse(found, () => change.webhook) })
        )
    }))
  },
  "a webhook that is removed is not found, and others are": {
    "answers that it removed what isn't there": altered(WebhookStore, (store) => ({
      remove: (id) => Effect.as(store.remove(id), true)
    }))
  },
  "another host no longer finds a webhook that one host removes, though it has found it before": {
    "caches webhooks": caching(WebhookStore, ({ find }, cached) => ({ find: cached(find) }))
  },
  "the log has each attempt with every field unchanged, the latest first, within the limit": {
    "lists one attempt more than was asked for": altered(WebhookStore, (store) => ({
      attempts: (query) => store.attempts({ ...query, limit: query.limit + 1 })
    }))
  },
  "many attempts that are logged at once are all stored": {
    "loses attempts that are logged at once": altered(WebhookStore, losesOfTwo)
  },
  "attempts that ended before an instant are deleted, and no others": {
    "forgets what ended at the very instant": altered(WebhookStore, (store) => ({
      expireAttempts: (bounds) => store.expireAttempts({ ...bounds, before: after(bounds.before, 1) })
    }))
  },
  "attempts before the latest that are kept are deleted, and no others": {
    "keeps one attempt less": altered(WebhookStore, (store) => ({
      expireAttempts: (bounds) => store.expireAttempts({ ...bounds, keep: bounds.keep - 1 })
    }))
  }
}
