import { Effect, Option } from "effect"
import type { KeyId } from "../../../core/model/ApiKey.ts"
import { SessionId } from "../../../core/model/Session.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import type { SessionOwner } from "../../../core/ports/SessionStore.ts"
import { isSessionLive } from "../../../core/rules/sessions.ts"
import { instant } from "../parts/samples.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

type Store = SessionStore["Service"]

const mutated = (alter: (store: Store) => Partial<Store>) =>
  altered(SessionStore, (store) => ({ ...store, ...alter(store) }))

const listing = (otherwise: (list: Store["list"]) => Store["list"]) =>
  mutated(({ list }) => ({ list: otherwise(list) }))

/** Alters how sessions begin, knowing the earlier ones. */
const beginning = (
  otherwise: (store: Store, before: ReadonlyArray<Parameters<Store["begin"]>[0]["session"]>) => Store["begin"]
) =>
  mutated((store) => {
    const before: Array<Parameters<Store["begin"]>[0]["session"]> = []
    return {
      begin: (change) =>
        Effect.andThen(
          otherwise(store, [...before])(change),
          Effect.sync(() => before.push(change.session))
        )
    }
  })

/** Does something else to every key that has had a session. */
const toEveryKey = (alter: (store: Store, keys: ReadonlySet<KeyId>) => Partial<Store>) =>
  mutated((store) => {
    const keys = new Set<KeyId>()
    return {
      begin: (change) =>
        Effect.andThen(
          Effect.sync(() => keys.add(change.session.keyId)),
          store.begin(change)
        ),
      ...alter(store, keys)
    }
  })

const foundCase =
  "SessionStore > a session is found by hash and by id with its key, its account and every field unchanged, expired or not"
const listCase =
  "SessionStore > the list holds the key's own sessions, newest first, behind one, and no more than asked"
const expiredCase = "SessionStore > beginning a session removes the expired sessions of its key and no others"
const replacedCase =
  "SessionStore > beginning a session removes only the session that it replaces, whichever key that belongs to"
const allCase = "SessionStore > every session of a key is removed and none of another key"

export const sessionMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "doesn't find sessions that have expired",
    caughtBy: foundCase,
    adapter: mutated(({ findByHash }) => ({
      findByHash: (hash) =>
        Effect.map(
          findByHash(hash),
          Option.filter(({ session }) => isSessionLive(session, instant(1000)))
        )
    }))
  },
  {
    fault: "doesn't find sessions of keys that are revoked",
    caughtBy: foundCase,
    adapter: mutated(({ findById }) => ({
      findById: (id) =>
        Effect.map(
          findById(id),
          Option.filter(({ key }) => key.revokedAt === undefined)
        )
    }))
  },
  {
    fault: "tells another address than that from which somebody signed in",
    caughtBy: foundCase,
    adapter: mutated(({ findByHash }) => ({
      findByHash: (hash) =>
        Effect.map(
          findByHash(hash),
          Option.map((owner) => ({ ...owner, session: { ...owner.session, address: "192.0.2.9" } }))
        )
    }))
  },
  {
    fault: "finds a session by its hash without regard to case",
    caughtBy: "SessionStore > an unknown hash or id finds nothing",
    adapter: mutated(({ findByHash }) => ({ findByHash: (hash) => findByHash(hash.toLowerCase()) }))
  },
  {
    fault: "finds a session with its key as that was when it was found first",
    caughtBy: "SessionStore > a session is found with the current state of its key",
    adapter: mutated((store) => {
      const first = new Map<SessionId, Option.Option<SessionOwner>>()
      const remember = (id: SessionId) =>
        Effect.map(store.findById(id), (owner) => first.get(id) ?? (first.set(id, owner), owner))
      return {
        begin: (change) => Effect.andThen(store.begin(change), remember(change.session.id)),
        findById: remember
      }
    })
  },
  {
    fault: "lists the oldest sessions first",
    caughtBy: listCase,
    adapter: listing((list) => (query) => Effect.map(list(query), (sessions) => sessions.toReversed()))
  },
  {
    fault: "lists one session more than was asked for",
    caughtBy: listCase,
    adapter: listing((list) => (query) => list({ ...query, limit: query.limit + 1 }))
  },
  {
    fault: "meets the session at which a page ended again",
    caughtBy: listCase,
    adapter: listing(
      (list) => (query) =>
        list({ ...query, after: query.after === undefined ? undefined : SessionId.make(`${query.after}~`) })
    )
  },
  {
    fault: "lists the sessions of every key",
    caughtBy: listCase,
    adapter: toEveryKey(({ list }, keys) => ({
      list: (query) =>
        Effect.map(
          Effect.forEach([...keys], (key) => list({ ...query, key })),
          (lists) =>
            lists
              .flat()
              .toSorted((a, b) => (a.id < b.id ? 1 : -1))
              .slice(0, query.limit)
        )
    }))
  },
  {
    fault: "keeps sessions that have expired",
    caughtBy: expiredCase,
    adapter: beginning(
      ({ begin }) =>
        (change) =>
          begin({ ...change, now: instant(-1e12) })
    )
  },
  {
    fault: "keeps a session until after the instant at which it expires",
    caughtBy: expiredCase,
    adapter: beginning(
      ({ begin }) =>
        (change) =>
          begin({ ...change, now: instant(change.now.epochMilliseconds - instant(0).epochMilliseconds - 1) })
    )
  },
  {
    fault: "removes expired sessions by the engine's clock",
    caughtBy: expiredCase,
    adapter: beginning(
      ({ begin }) =>
        (change) =>
          begin({ ...change, now: instant(0) })
    )
  },
  {
    fault: "removes expired sessions of every key",
    caughtBy: expiredCase,
    adapter: beginning(
      ({ begin, remove }, before) =>
        (change) =>
          Effect.andThen(
            begin(change),
            Effect.forEach(before, (other) =>
              isSessionLive(other, change.now) ? Effect.void : remove(other.keyId, other.id)
            )
          )
    )
  },
  {
    fault: "keeps the session that another one replaces",
    caughtBy: replacedCase,
    adapter: beginning(
      ({ begin }) =>
        (change) =>
          begin({ ...change, replaces: undefined })
    )
  },
  {
    fault: "keeps the session that one of another key replaces",
    caughtBy: replacedCase,
    adapter: beginning(
      ({ begin }, before) =>
        ({ replaces, ...change }) =>
          begin(
            before.some(({ keyId, secretHash }) => secretHash === replaces && keyId === change.session.keyId)
              ? { ...change, replaces }
              : change
          )
    )
  },
  {
    fault: "begins a session in two steps",
    caughtBy: "SessionStore > a session whose beginning is interrupted has replaced the other one or doesn't exist",
    adapter: beginning(
      ({ begin, removeByHash }) =>
        ({ replaces, ...change }) =>
          Effect.gen(function* () {
            if (replaces !== undefined) yield* removeByHash(replaces)
            yield* Effect.yieldNow
            yield* begin(change)
          })
    )
  },
  {
    fault: "lets one session alone replace another",
    caughtBy:
      "SessionStore > many sessions that begin at once and replace the same one are all stored, and the replaced one is gone",
    adapter: mutated(({ begin, findByHash }) => ({
      begin: Effect.fnUntraced(function* (change) {
        const isGone = change.replaces !== undefined && Option.isNone(yield* findByHash(change.replaces))
        if (!isGone || change.replaces === "unknown") yield* begin(change)
      })
    }))
  },
  {
    fault: "removes a session by its id in place of its hash",
    caughtBy: "SessionStore > only the session with the given hash is removed",
    adapter: mutated(({ findById, removeByHash }) => ({
      removeByHash: Effect.fnUntraced(function* (hash) {
        const named = yield* findById(SessionId.make(hash))
        yield* removeByHash(Option.isSome(named) ? named.value.session.secretHash : hash)
      })
    }))
  },
  {
    fault: "forgets the key of a session that is removed",
    caughtBy: "SessionStore > only the session with the given key and id is removed",
    adapter: mutated(({ findById, remove }) => ({
      remove: Effect.fnUntraced(function* (key, id) {
        const owner = yield* findById(id)
        yield* remove(Option.isSome(owner) ? owner.value.key.id : key, id)
      })
    }))
  },
  {
    fault: "removes all sessions of a key but the newest",
    caughtBy: allCase,
    adapter: mutated(({ list, remove }) => ({
      removeAll: Effect.fnUntraced(function* (key) {
        const [, ...others] = yield* list({ key, limit: 1000 })
        yield* Effect.forEach(others, ({ id }) => remove(key, id), { discard: true })
      })
    }))
  },
  {
    fault: "removes the sessions of every key",
    caughtBy: allCase,
    adapter: toEveryKey(({ removeAll }, keys) => ({
      removeAll: () => Effect.forEach([...keys], removeAll, { discard: true })
    }))
  }
]
