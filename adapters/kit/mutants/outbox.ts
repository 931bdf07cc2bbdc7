import { DateTime, Effect } from "effect"
import { KeyId } from "../../../core/model/ApiKey.ts"
import type { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { Outbox, type ClaimId } from "../../../core/ports/Outbox.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { after, makeAccount, makeKey } from "../parts/samples.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

type Store = Outbox["Service"]

/** Stores the event by itself, with a key that nobody asked for. */
const postAlone = (keys: KeyStore["Service"], event: SlipwayEvent | undefined) =>
  keys.insert(makeKey(makeAccount()), event)

/** Stores the event of a finalize that was refused. */
const publishesRefused = bothAltered(BuildStore, KeyStore, (builds, keys) => [
  {
    commitFinalize: (change) =>
      Effect.tapErrorTag(builds.commitFinalize(change), "Conflict", () => postAlone(keys, change.event))
  },
  {}
])

/** Keeps the event of a revocation under another ordering key, and shows it as it was. */
const mixesOrderingKeys = bothAltered(KeyStore, Outbox, (keys, outbox) => {
  const kept = new Map<string, SlipwayEvent>()
  return [
    {
      revoke: (id, at, event) => {
        if (event?.type !== "key.revoked") return keys.revoke(id, at, event)
        kept.set(event.id, event)
        return keys.revoke(id, at, { ...event, data: { ...event.data, id: KeyId.make(`${id}, revoked`) } })
      }
    },
    {
      claim: (request) =>
        Effect.map(outbox.claim(request), (claimed) =>
          claimed.map((one) => ({ ...one, event: kept.get(one.event.id) ?? one.event }))
        )
    }
  ]
})

/** Takes what is said of an event as said under its last claim. */
const anyClaimCounts = (store: Store): Partial<Store> => {
  const last = new Map<string, ClaimId>()
  return {
    claim: (request) =>
      Effect.tap(store.claim(request), (claimed) =>
        Effect.sync(() => claimed.forEach(({ claim, id }) => last.set(id, claim)))
      ),
    done: ({ claim, id }) => store.done({ id, claim: last.get(id) ?? claim })
  }
}

export const outboxMutants: MetadataFaults = {
  "the registration of a run stores its event, which comes back unchanged, and none without one": {
    "loses the event of a run": altered(TestRunStore, (store) => ({
      insert: ({ once, run }) => store.insert({ once, run })
    }))
  },
  "of a finalize of a build by many at once or later, the first alone stores its event": {
    "stores the event of a commit that was refused": publishesRefused
  },
  "the insert of a key that is interrupted at any moment stores its event, or neither": {
    "stores the event of a key after the key's commit": altered(KeyStore, (store) => ({
      insert: (key, event) =>
        store.insert(key).pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(store.insert(key, event)))
    }))
  },
  "the events of one resource are claimed one after another, in the order of their commits": {
    "loses the order of events with one ordering key": mixesOrderingKeys
  },
  "a claim has no more than its limit, those that were due first": {
    "claims one event more than was asked for": altered(Outbox, (store) => ({
      claim: (request) => store.claim({ ...request, limit: request.limit + 1 })
    }))
  },
  "a claimed event is not claimed again before the claim ends, and is due from then on": {
    "forgets that an event is claimed": altered(Outbox, (store) => ({
      claim: (request) => store.claim({ ...request, until: request.now })
    }))
  },
  "an event that is due between two milliseconds is claimed once": {
    "forgets the claim of an event that was due between two milliseconds": altered(Outbox, (store) => {
      let isBetween = false
      return {
        retry: (claim, at) => {
          isBetween = !Number.isInteger(DateTime.toEpochMillis(at))
          return store.retry(claim, at)
        },
        claim: (request) => store.claim({ ...request, until: isBetween ? request.now : request.until })
      }
    })
  },
  "many claims at once get every event, and no two get the same one": {
    "gives an event to two who claim at once": altered(Outbox, (store) => ({
      claim: Effect.fnUntraced(function* (request) {
        const seen = yield* store.claim({ ...request, until: request.now })
        yield* Effect.yieldNow
        yield* store.claim(request)
        return seen
      })
    }))
  },
  "only the last claim of an event counts": {
    "takes the word of a host whose claim is over": altered(Outbox, anyClaimCounts)
  },
  "an event that is passed on is claimed separately for each webhook, in the order of its resource": {
    "passes an event on to the first webhook alone": altered(Outbox, (store) => ({
      passOn: (claimed, webhooks) => store.passOn(claimed, webhooks.slice(0, 1))
    }))
  },
  "a claim has one event for each webhook, those due first, and none for webhooks left out": {
    "claims events for webhooks that are left out": altered(Outbox, (store) => ({
      claim: (request) => store.claim({ ...request, without: [] })
    }))
  },
  "a claim that is released doesn't count as an attempt": {
    "counts a released claim as an attempt": altered(Outbox, (store) => ({ release: store.retry }))
  },
  "a replayed event is due at its time, with no attempts, in its former order": {
    "replays an event at once": altered(Outbox, (store) => ({
      replay: (id, at) => store.replay(id, DateTime.subtract(at, { years: 50 }))
    }))
  },
  "events that died before an instant are deleted, and no others": {
    "forgets those that died at the very instant": altered(Outbox, (store) => ({
      expireDead: (before) => store.expireDead(after(before, 1))
    }))
  }
}
