import { DateTime, Effect, Option } from "effect"
import type { ApiKey } from "../../../core/model/ApiKey.ts"
import { KeyStore, type KeyOwner } from "../../../core/ports/KeyStore.ts"
import { isLive } from "../../../core/rules/keys.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"
import { caching } from "./twoHosts.ts"

type Store = KeyStore["Service"]

/** Every key that is read is read as `view` shows it. */
const read = (store: Store, view: (key: ApiKey) => ApiKey): Store => {
  const owned = Option.map(({ account, key }: KeyOwner) => ({ account, key: view(key) }))
  return {
    ...store,
    findByHash: (hash) => Effect.map(store.findByHash(hash), owned),
    findById: (id) => Effect.map(store.findById(id), owned),
    list: (account) => Effect.map(store.list(account), (all) => all.map(view)),
    revoke: (id, at) => Effect.map(store.revoke(id, at), Option.map(view))
  }
}

/** Rotates in two steps. */
const rotatingInSteps = altered(KeyStore, (store) => ({
  rotate: Effect.fnUntraced(function* (change) {
    const old = yield* store.findById(change.old)
    if (Option.isNone(old) || !isLive(old.value.key, change.now)) return false
    yield* store.insert(change.replacement)
    yield* Effect.yieldNow
    return yield* store.rotate(change)
  })
}))

export const keyMutants: MetadataFaults = {
  "a key that one host revokes or rotates is found so by another that has found it before": {
    "caches keys by their hashes": caching(KeyStore, ({ findByHash }, cached) => ({ findByHash: cached(findByHash) }))
  },
  "a key comes back with every field unchanged from each call that finds it, and with no other": {
    "keeps times to the second": altered(KeyStore, (store) =>
      read(store, (key) => ({ ...key, createdAt: DateTime.startOf(key.createdAt, "second") }))
    )
  },
  "the list holds only the account's own keys, in the order of their ids": {
    "lists keys in the order in which they came": altered(KeyStore, (store) => {
      const came: Array<string> = []
      return {
        insert: (key) => Effect.tap(store.insert(key), () => Effect.sync(() => came.push(key.id))),
        list: (account) =>
          Effect.map(store.list(account), (all) => all.toSorted((a, b) => came.indexOf(a.id) - came.indexOf(b.id)))
      }
    })
  },
  "a key that is unknown, revoked, expired or expires at this instant can't be rotated": {
    "rotates a key at the very instant at which it expires": altered(KeyStore, (store) => ({
      rotate: (change) => store.rotate({ ...change, now: DateTime.subtract(change.now, { milliseconds: 1 }) })
    }))
  },
  "a rotation uses the time that it is given and not the engine's clock": {
    "rotates by the engine's clock": altered(KeyStore, (store) => ({
      rotate: (change) => Effect.flatMap(DateTime.now, (now) => store.rotate({ ...change, now }))
    }))
  },
  "a rotation of a key that is interrupted at any moment is stored whole or not at all": {
    "rotates in two steps": rotatingInSteps
  },
  "of a rotation of a key by many at once, exactly one is made, and the others leave nothing": {
    "lets two rotate one key at once": altered(KeyStore, (store) => ({
      rotate: Effect.fnUntraced(function* (change) {
        const old = yield* store.findById(change.old)
        if (Option.isNone(old) || !isLive(old.value.key, change.now)) return false
        yield* Effect.yieldNow
        if (!(yield* store.rotate(change))) yield* store.insert(change.replacement)
        return true
      })
    }))
  },
  "a use is recorded, and an earlier one doesn't overwrite it": {
    "replaces a later use by an earlier one": altered(KeyStore, (store) => {
      const used = new Map<string, DateTime.Utc>()
      const seen = read(store, (key) => {
        const lastUsedAt = used.get(key.id)
        return lastUsedAt === undefined ? key : { ...key, lastUsedAt }
      })
      return { ...seen, touch: (id, at) => Effect.sync(() => void used.set(id, at)) }
    })
  }
}
