import { Effect, Option } from "effect"
import { SessionId, type Session } from "../../../core/model/Session.ts"
import { SessionStore, type SessionOwner } from "../../../core/ports/SessionStore.ts"
import { isSessionLive } from "../../../core/rules/sessions.ts"
import { instant } from "../parts/samples.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"
import { caching } from "./twoHosts.ts"

type Store = SessionStore["Service"]

const mutated = (alter: (store: Store) => Partial<Store>) => altered(SessionStore, alter)

type List = Store["list"]
type Beginning = Parameters<Store["begin"]>[0]

const listing = (otherwise: (query: Parameters<List>[0], list: List) => ReturnType<List>) =>
  mutated(({ list }) => ({ list: (query) => otherwise(query, list) }))

/** Alters how sessions begin, knowing the earlier ones. */
const beginning = (
  otherwise: (change: Beginning, store: Store, before: ReadonlyArray<Session>) => ReturnType<Store["begin"]>
) =>
  mutated((store) => {
    const before: Array<Session> = []
    return {
      begin: (change) =>
        Effect.tap(otherwise(change, store, [...before]), () => Effect.sync(() => before.push(change.session)))
    }
  })

/** Removes the replaced session and then stores the new one. */
const beginningInSteps = beginning(({ replaces, ...change }, { begin, removeByHash }) =>
  Effect.gen(function* () {
    if (replaces !== undefined) yield* removeByHash(replaces)
    yield* Effect.yieldNow
    yield* begin(change)
  })
)

export const sessionMutants: MetadataFaults = {
  "a session comes back with every field unchanged from each call that finds it, and with no other": {
    "doesn't find sessions that have expired": mutated(({ findByHash }) => ({
      findByHash: (hash) =>
        Effect.map(
          findByHash(hash),
          Option.filter(({ session }) => isSessionLive(session, instant(1000)))
        )
    }))
  },
  "an unknown hash or id finds nothing": {
    "finds a session by its hash without regard to case": mutated(({ findByHash }) => ({
      findByHash: (hash) => findByHash(hash.toLowerCase())
    }))
  },
  "a session is found with the current state of its key": {
    "answers a session with its key as it was at the first read": mutated((store) => {
      const first = new Map<SessionId, Option.Option<SessionOwner>>()
      const remember = (id: SessionId) =>
        Effect.map(store.findById(id), (owner) => first.get(id) ?? (first.set(id, owner), owner))
      return {
        begin: (change) => Effect.andThen(store.begin(change), remember(change.session.id)),
        findById: remember
      }
    })
  },
  "the list holds the key's own sessions, newest first, after one, within the limit": {
    "lists one session more than was asked for": listing((query, list) => list({ ...query, limit: query.limit + 1 })),
    "lists the session at which a page ended on the next page again": listing((query, list) =>
      list({ ...query, after: query.after === undefined ? undefined : SessionId.make(`${query.after}~`) })
    )
  },
  "beginning a session removes the expired sessions of its key and no others": {
    "keeps a session until after the instant at which it expires": beginning((change, { begin }) =>
      begin({ ...change, now: instant(change.now.epochMilliseconds - instant(0).epochMilliseconds - 1) })
    ),
    "removes expired sessions by the engine's clock": beginning((change, { begin }) =>
      begin({ ...change, now: instant(0) })
    )
  },
  "beginning a session removes only the session that it replaces, whichever key that belongs to": {
    "keeps a session that is replaced by one of another key": beginning(({ replaces, ...change }, { begin }, before) =>
      begin(
        before.some(({ keyId, secretHash }) => secretHash === replaces && keyId === change.session.keyId)
          ? { ...change, replaces }
          : change
      )
    )
  },
  "a session whose beginning is interrupted has replaced the other one or doesn't exist": {
    "begins a session in two steps": beginningInSteps
  },
  "a session that one host removes isn't found by another that has found it before": {
    "caches sessions by their ids": caching(SessionStore, ({ findById }, cached) => ({ findById: cached(findById) }))
  },
  "many sessions that begin at once and replace the same one are all stored, and the replaced one has ended": {
    "stores only one of the sessions that replace the same one": mutated(({ begin }) => {
      const replaced = new Set<string>()
      return {
        begin: Effect.fnUntraced(function* (change) {
          const isFirst = change.replaces === undefined || !replaced.has(change.replaces)
          if (change.replaces !== undefined && change.replaces !== "unknown") replaced.add(change.replaces)
          if (isFirst) yield* begin(change)
        })
      }
    })
  },
  "only the session with the given key and id is removed": {
    "forgets the key of a session that is removed": mutated(({ findById, remove }) => ({
      remove: Effect.fnUntraced(function* (key, id) {
        const owner = yield* findById(id)
        yield* remove(Option.isSome(owner) ? owner.value.key.id : key, id)
      })
    }))
  }
}
