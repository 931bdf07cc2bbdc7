import { Context, DateTime, Effect, Layer, Option } from "effect"
import { KeyId } from "../../../core/model/ApiKey.ts"
import type { SlipwayEvent } from "../../../core/model/SlipwayEvent.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { Outbox } from "../../../core/ports/Outbox.ts"
import type { ClaimId } from "../../../core/ports/Outbox.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { layerMetadata } from "../../memory/index.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { after, makeAccount, makeKey } from "../parts/samples.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

type Store = Outbox["Service"]

const alteredOutbox = (alter: (store: Store) => Partial<Store>) =>
  altered(Outbox, (store) => ({ ...store, ...alter(store) }))

/** Stores the event by itself, with a key that nobody asked for. */
const postAlone = (keys: KeyStore["Service"], event: SlipwayEvent | undefined) =>
  keys.insert(makeKey(makeAccount()), event)

/** Stores the event of a finalize that was refused. */
const tellsOfRefused = Layer.flatMap(layerMetadata, (memory) => {
  const [builds, keys] = [Context.get(memory, BuildStore), Context.get(memory, KeyStore)]
  const commitFinalize: BuildStore["Service"]["commitFinalize"] = (change) =>
    Effect.tapErrorTag(builds.commitFinalize(change), "Conflict", () => postAlone(keys, change.event))
  return Layer.succeedContext(Context.add(memory, BuildStore, { ...builds, commitFinalize }))
})

/** Keeps the event of a revocation as one of another thing, and shows it as it was. */
const mixesThings = Layer.flatMap(layerMetadata, (memory) => {
  const [keys, outbox] = [Context.get(memory, KeyStore), Context.get(memory, Outbox)]
  const kept = new Map<string, SlipwayEvent>()
  const revoke: KeyStore["Service"]["revoke"] = (id, at, event) => {
    if (event?.type !== "key.revoked") return keys.revoke(id, at, event)
    kept.set(event.id, event)
    return keys.revoke(id, at, { ...event, data: { ...event.data, id: KeyId.make(`${id}, revoked`) } })
  }
  const claim: Store["claim"] = (request) =>
    Effect.map(outbox.claim(request), (claimed) =>
      claimed.map((one) => ({ ...one, event: kept.get(one.event.id) ?? one.event }))
    )
  return Layer.succeedContext(
    memory.pipe(Context.add(KeyStore, { ...keys, revoke }), Context.add(Outbox, { ...outbox, claim }))
  )
})

/** Takes what is said of an event as said under its last claim. */
const anyClaimCounts = (store: Store): Partial<Store> => {
  const last = new Map<string, ClaimId>()
  return {
    claim: (request) =>
      Effect.tap(store.claim(request), (claimed) =>
        Effect.sync(() => claimed.forEach(({ claim, event }) => last.set(event.id, claim)))
      ),
    done: ({ claim, event }) => store.done({ event, claim: last.get(event.id) ?? claim })
  }
}

export const outboxMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "loses the event of a run",
    caughtBy: "Outbox > every kind of commit stores its event, which comes back unchanged",
    adapter: altered(TestRunStore, (store) => ({ ...store, insert: ({ once, run }) => store.insert({ once, run }) }))
  },
  {
    fault: "stores the event of a commit that was refused",
    caughtBy: "Outbox > a commit that is refused stores no event",
    adapter: tellsOfRefused
  },
  {
    fault: "stores the event of a key after the key's commit",
    caughtBy: "Outbox > a key is there with its event or not at all, whenever the commit is interrupted",
    adapter: altered(KeyStore, (store) => ({
      ...store,
      insert: (key, event) =>
        store.insert(key).pipe(Effect.andThen(Effect.yieldNow), Effect.andThen(store.insert(key, event)))
    }))
  },
  {
    fault: "stores the event of every revocation of a key",
    caughtBy: "Outbox > only the first revocation of a key or a share link stores its event",
    adapter: altered(KeyStore, (store) => ({
      ...store,
      revoke: Effect.fnUntraced(function* (id, at, event) {
        const before = yield* store.findById(id)
        const isRevoked = Option.exists(before, ({ key }) => key.revokedAt !== undefined)
        if (isRevoked) yield* postAlone(store, event)
        return yield* store.revoke(id, at, event)
      })
    }))
  },
  {
    fault: "loses the order of a thing's events",
    caughtBy: "Outbox > the events of one thing come one after another, in the order of their commits",
    adapter: mixesThings
  },
  {
    fault: "doesn't count attempts",
    caughtBy: "Outbox > the events of one thing come one after another, in the order of their commits",
    adapter: alteredOutbox((store) => ({
      claim: (request) => Effect.map(store.claim(request), (claimed) => claimed.map((one) => ({ ...one, attempts: 1 })))
    }))
  },
  {
    fault: "claims one event more than was asked for",
    caughtBy: "Outbox > a claim has no more than its limit, those that were due first",
    adapter: alteredOutbox((store) => ({ claim: (request) => store.claim({ ...request, limit: request.limit + 1 }) }))
  },
  {
    fault: "claims events before they are due",
    caughtBy: "Outbox > an event isn't claimed before its time",
    adapter: alteredOutbox((store) => ({
      claim: (request) => store.claim({ ...request, now: after(request.now, 10) })
    }))
  },
  {
    fault: "forgets that an event is claimed",
    caughtBy: "Outbox > nobody else gets a claimed event before the claim ends, and from then on it is due again",
    adapter: alteredOutbox((store) => ({ claim: (request) => store.claim({ ...request, until: request.now }) }))
  },
  {
    fault: "holds a claim a millisecond longer",
    caughtBy: "Outbox > nobody else gets a claimed event before the claim ends, and from then on it is due again",
    adapter: alteredOutbox((store) => ({
      claim: (request) => store.claim({ ...request, until: after(request.until, 1) })
    }))
  },
  {
    fault: "gives an event to two who claim at once",
    caughtBy: "Outbox > of many claims at once, no two get the same event, and together they get all",
    adapter: alteredOutbox((store) => ({
      claim: Effect.fnUntraced(function* (request) {
        const seen = yield* store.claim({ ...request, until: request.now })
        yield* Effect.yieldNow
        yield* store.claim(request)
        return seen
      })
    }))
  },
  {
    fault: "delivers an event again that is done",
    caughtBy: "Outbox > what is done never comes again",
    adapter: alteredOutbox((store) => ({
      done: (claim) => Effect.flatMap(DateTime.now, (now) => store.retry(claim, DateTime.subtract(now, { years: 50 })))
    }))
  },
  {
    fault: "takes the word of a host whose claim is over",
    caughtBy: "Outbox > only the last claim of an event counts",
    adapter: alteredOutbox(anyClaimCounts)
  },
  {
    fault: "forgets what was given up",
    caughtBy: "Outbox > what is given up is kept as dead, and lets the next event of its thing pass",
    adapter: alteredOutbox((store) => ({ giveUp: store.done }))
  },
  {
    fault: "lists one dead event more than was asked for",
    caughtBy: "Outbox > the dead are listed by their ids, behind one, no more than asked",
    adapter: alteredOutbox((store) => ({ dead: (query) => store.dead({ ...query, limit: query.limit + 1 }) }))
  },
  {
    fault: "replays an event at once",
    caughtBy: "Outbox > a dead event that is replayed is due at its time, with no attempts, in its old place",
    adapter: alteredOutbox((store) => ({
      replay: (id, at) => store.replay(id, DateTime.subtract(at, { years: 50 }))
    }))
  },
  {
    fault: "forgets those that died at the very instant",
    caughtBy: "Outbox > those that died before an instant are forgotten, and no others",
    adapter: alteredOutbox((store) => ({ forgetDead: (before) => store.forgetDead(after(before, 1)) }))
  }
]
