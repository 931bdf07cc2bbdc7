import { assert } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { SessionId, type ApiKey, type Session } from "../../core/model/ApiKey.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { SessionStore, type SessionOwner } from "../../core/ports/SessionStore.ts"
import { assertAtomic, many } from "./parts/commits.ts"
import {
  assertFound,
  assertKept,
  assertPages,
  found,
  idsOf,
  plainAccount,
  plainKey,
  plainSession
} from "./parts/plain.ts"
import { after, epochs, idAt, instant, makeSession } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { newAccount, newKey } from "./parts/stored.ts"

/** What the cases need beside a `SessionStore`: sessions belong to keys, and keys to accounts. */
type SessionPorts = AccountStore | KeyStore | SessionStore

/** An account with two keys. */
const newOwner = (fields: Partial<ApiKey> = {}) =>
  Effect.gen(function* () {
    const account = yield* newAccount
    return { account, key: yield* newKey(account, fields), sibling: yield* newKey(account) }
  })

/** Stores sessions one by one, at a time when none has expired. */
const begun = (...sessions: ReadonlyArray<Session>) =>
  Effect.gen(function* () {
    const store = yield* SessionStore
    yield* Effect.forEach(sessions, (session) => store.begin({ session, now: instant(-1e12) }), { discard: true })
  })

/** Three sessions of a key, the first the newest. */
const threeOf = (key: ApiKey) =>
  Effect.gen(function* () {
    const made = [3, 1, 2].map((at) => makeSession(key, { id: SessionId.make(idAt(at)) }))
    yield* begun(...made)
    const [first, third, second] = made
    return first === undefined || second === undefined || third === undefined
      ? assert.fail("three were made")
      : ([first, second, third] as const)
  })

const plainOwner = ({ account, key, session }: SessionOwner) => ({
  account: plainAccount(account),
  key: plainKey(key),
  session: plainSession(session)
})

const sessionsOf = (key: ApiKey) =>
  Effect.map(
    SessionStore.use((store) => store.list({ key: key.id, limit: 100 })),
    idsOf
  )

export const sessionStoreCases = (it: Cases<SessionPorts>) => {
  assertKept(it, "a session", {
    owner: newOwner({ expiresAt: instant(1), revokedAt: instant(2), lastUsedAt: instant(3) }),
    full: ({ key }, text, at) => {
      const userAgent = text.slice(0, 512).toWellFormed()
      return makeSession(key, { createdAt: at, expiresAt: after(at, 1), address: "2001:db8::1", userAgent })
    },
    bare: ({ key }) => makeSession(key),
    store: (session) => begun(session),
    read: Effect.fnUntraced(function* ({ id, secretHash }, { key }) {
      const store = yield* SessionStore
      const listed = (yield* store.list({ key: key.id, limit: 1000 })).filter((session) => session.id === id)
      const owners = [yield* store.findByHash(secretHash), yield* store.findById(id)]
      return [...owners.map((owner) => found(plainOwner, owner)), listed.map(plainSession)]
    }),
    expected: (session, { account, key }) => {
      const owner = plainOwner({ account, key, session })
      return [owner, owner, [plainSession(session)]]
    }
  })

  it.effect("an unknown hash or id finds nothing", function* () {
    const store = yield* SessionStore
    const { key } = yield* newOwner()
    const session = makeSession(key)
    yield* begun(session)
    assert.isTrue(Option.isNone(yield* store.findByHash(session.secretHash.toUpperCase())))
    assert.isTrue(Option.isNone(yield* store.findByHash(session.id)))
    assert.isTrue(Option.isNone(yield* store.findById(SessionId.make(session.secretHash))))
  })

  it.effect("a session is found with the current state of its key", function* () {
    const store = yield* SessionStore
    const keys = yield* KeyStore
    const { account, key } = yield* newOwner()
    const session = makeSession(key)
    yield* begun(session)
    yield* keys.touch(key.id, instant(10))
    yield* keys.revoke(key.id, instant(20))
    const now = { ...key, lastUsedAt: instant(10), revokedAt: instant(20) }
    for (const one of [yield* store.findByHash(session.secretHash), yield* store.findById(session.id)]) {
      assertFound(plainOwner, one, { account, key: now, session })
    }
  })

  it.effect("the list holds the key's own sessions, newest first, after one, within the limit", function* () {
    const store = yield* SessionStore
    const { key, sibling } = yield* newOwner()
    const sessions = yield* threeOf(key)
    yield* begun(makeSession(sibling), makeSession((yield* newOwner()).key))
    yield* assertPages(idsOf(sessions), (limit, after) => Effect.map(store.list({ key: key.id, after, limit }), idsOf))
    assert.deepStrictEqual(yield* store.list({ key: (yield* newOwner()).key.id, limit: 10 }), [])
  })

  it.effect("beginning a session removes the expired sessions of its key and no others", function* () {
    const store = yield* SessionStore
    const { key, sibling } = yield* newOwner()
    for (const at of epochs) {
      const expired = [makeSession(key, { expiresAt: after(at, -1) }), makeSession(key, { expiresAt: at })]
      const live = makeSession(key, { expiresAt: after(at, 1) })
      const siblings = makeSession(sibling, { expiresAt: after(at, -1) })
      yield* begun(...expired, live, siblings)
      const session = makeSession(key, { expiresAt: after(at, 1000) })
      yield* store.begin({ session, now: at })
      for (const { id } of expired) assert.isTrue(Option.isNone(yield* store.findById(id)), "kept, though expired")
      for (const { id } of [live, siblings, session]) {
        assert.isTrue(Option.isSome(yield* store.findById(id)), "removed, though live or another key's")
      }
      yield* store.removeAll(key.id)
    }
  })

  it.effect(
    "beginning a session removes only the session that it replaces, whichever key that belongs to",
    function* () {
      const store = yield* SessionStore
      const [{ key }, { key: other }] = [yield* newOwner(), yield* newOwner()]
      const replaced = [makeSession(key), makeSession(other), makeSession(key, { expiresAt: instant(1) })]
      yield* begun(...replaced)
      const kept = makeSession(other)
      yield* begun(kept)
      const hashes = [...replaced.map(({ secretHash }) => secretHash), "unknown", undefined]
      const sessions = hashes.map((replaces) => ({ replaces, session: makeSession(key) }))
      yield* Effect.forEach(sessions, ({ replaces, session }) => store.begin({ session, replaces, now: instant(2) }))
      const ids = sessions.map(({ session }) => session.id)
      assert.sameMembers(yield* sessionsOf(key), ids)
      assert.deepStrictEqual(yield* sessionsOf(other), [kept.id])
    }
  )

  assertAtomic(
    it,
    {
      interrupted: "a session whose beginning is interrupted has replaced the other one or doesn't exist",
      failing: "a session during whose beginning the engine fails has replaced the other one or doesn't exist"
    },
    Effect.gen(function* () {
      const store = yield* SessionStore
      const { key } = yield* newOwner()
      const [old, session] = [makeSession(key), makeSession(key)]
      yield* begun(old)
      return {
        run: store.begin({ session, replaces: old.secretHash, now: instant(0) }),
        check: Effect.gen(function* () {
          const ids = yield* sessionsOf(key)
          assert.deepStrictEqual(ids, ids.includes(session.id) ? [session.id] : [old.id])
        })
      }
    })
  )

  it.effect(
    "many sessions that begin at once and replace the same one are all stored, and the replaced one has ended",
    function* () {
      const store = yield* SessionStore
      const { key } = yield* newOwner()
      const [old, expired] = [makeSession(key), makeSession(key, { expiresAt: instant(1) })]
      yield* begun(old, expired)
      const sessions = many.map(() => makeSession(key))
      yield* Effect.forEach(
        sessions,
        (session) => store.begin({ session, replaces: old.secretHash, now: instant(2) }),
        { concurrency: "unbounded", discard: true }
      )
      const ids = sessions.map(({ id }) => id)
      assert.sameMembers(yield* sessionsOf(key), ids)
    }
  )

  it.onTwoHosts("a session that one host removes isn't found by another that has found it before", function* (other) {
    const store = yield* SessionStore
    const { findByHash, findById } = Context.get(other, SessionStore)
    const { key } = yield* newOwner()
    for (const session of yield* threeOf(key)) {
      assert.isTrue(Option.isSome(yield* findByHash(session.secretHash)))
      assert.isTrue(Option.isSome(yield* findById(session.id)))
      yield* store.removeByHash(session.secretHash)
      assert.isTrue(Option.isNone(yield* findByHash(session.secretHash)))
      assert.isTrue(Option.isNone(yield* findById(session.id)))
    }
  })

  it.effect("only the session with the given hash is removed", function* () {
    const store = yield* SessionStore
    const { key } = yield* newOwner()
    const [first, second, third] = yield* threeOf(key)
    // The second removal changes nothing.
    for (const hash of [second.secretHash, second.secretHash, third.id, first.secretHash.toUpperCase()]) {
      yield* store.removeByHash(hash)
      assert.deepStrictEqual(yield* sessionsOf(key), [first.id, third.id])
    }
  })

  it.effect("only the session with the given key and id is removed", function* () {
    const store = yield* SessionStore
    const { key, sibling } = yield* newOwner()
    const [first, second, third] = yield* threeOf(key)
    for (const other of [sibling, (yield* newOwner()).key]) {
      yield* store.remove(other.id, second.id)
      assert.deepStrictEqual(yield* sessionsOf(key), [first.id, second.id, third.id])
    }
    for (const id of [second.id, second.id, SessionId.make(idAt(9))]) {
      yield* store.remove(key.id, id)
      assert.deepStrictEqual(yield* sessionsOf(key), [first.id, third.id])
    }
  })

  it.effect("every session of a key is removed and none of another key", function* () {
    const store = yield* SessionStore
    const { key, sibling } = yield* newOwner()
    const others = [makeSession(sibling), makeSession((yield* newOwner()).key)]
    const all = yield* threeOf(key)
    yield* begun(...others)
    for (const _ of [1, 2]) {
      yield* store.removeAll(key.id)
      assert.deepStrictEqual(yield* sessionsOf(key), [])
      for (const { id } of all) assert.isTrue(Option.isNone(yield* store.findById(id)))
      for (const { id } of others) assert.isTrue(Option.isSome(yield* store.findById(id)), "another key's session")
    }
  })
}
