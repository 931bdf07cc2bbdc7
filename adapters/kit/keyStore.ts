import { assert } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { KeyId } from "../../core/model/ApiKey.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { KeyStore, type KeyOwner } from "../../core/ports/KeyStore.ts"
import { assertOnce, assertWhole, keyCommits, many } from "./parts/commits.ts"
import { assertKept, found, plainAccount, plainKey } from "./parts/plain.ts"
import { after, epochs, idAt, instant, makeKey } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { newAccount, newKey } from "./parts/stored.ts"

/** What the cases need beside a `KeyStore`: keys belong to accounts. */
type KeyPorts = AccountStore | KeyStore

const ownKey = Effect.flatMap(newAccount, (account) => newKey(account))

const plainOwner = ({ account, key }: KeyOwner) => ({ account: plainAccount(account), key: plainKey(key) })

const stored = (id: KeyId) =>
  Effect.gen(function* () {
    return found((owner) => plainKey(owner.key), yield* (yield* KeyStore).findById(id))
  })

export const keyStoreCases = (it: Cases<KeyPorts>) => {
  assertKept(it, "a key", {
    owner: newAccount,
    full: (account, name, at) =>
      makeKey(account, {
        name,
        scopes: ["test_runs", "builds", "preview_upload"],
        createdAt: at,
        expiresAt: after(at, 1),
        revokedAt: after(at, 2),
        lastUsedAt: after(at, 3)
      }),
    bare: (account) => makeKey(account),
    store: (key) => KeyStore.use((store) => store.insert(key)),
    read: Effect.fnUntraced(function* ({ hash, id }, account) {
      const store = yield* KeyStore
      const listed = (yield* store.list(account.id)).filter((key) => key.id === id)
      const owners = [yield* store.findByHash(hash), yield* store.findById(id)]
      return [...owners.map((owner) => found(plainOwner, owner)), listed.map(plainKey)]
    }),
    expected: (key, account) => [plainOwner({ account, key }), plainOwner({ account, key }), [plainKey(key)]]
  })

  it.effect("an unknown hash or id finds nothing", function* () {
    const store = yield* KeyStore
    const key = yield* ownKey
    assert.isTrue(Option.isNone(yield* store.findByHash(`${key.hash}0`)))
    assert.isTrue(Option.isNone(yield* store.findById(KeyId.make(idAt(1)))))
  })

  it.effect("the list holds only the account's own keys, in the order of their ids", function* () {
    const store = yield* KeyStore
    const account = yield* newAccount
    const keys = [3, 1, 0xffff_ffff_ff, 2].map((at) => makeKey(account, { id: KeyId.make(idAt(at)) }))
    yield* Effect.forEach(keys, (key) => store.insert(key))
    yield* ownKey
    const ordered = keys.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    assert.deepStrictEqual((yield* store.list(account.id)).map(plainKey), ordered.map(plainKey))
    assert.deepStrictEqual(yield* store.list((yield* newAccount).id), [])
  })

  it.effect("a second revocation doesn't change the first", function* () {
    const store = yield* KeyStore
    const key = yield* ownKey
    const revoked = plainKey({ ...key, revokedAt: instant(10) })
    assert.deepStrictEqual(found(plainKey, yield* store.revoke(key.id, instant(10))), revoked)
    assert.deepStrictEqual(found(plainKey, yield* store.revoke(key.id, instant(20))), revoked)
    assert.deepStrictEqual(found(plainKey, yield* store.revoke(key.id, instant(5))), revoked)
    assert.deepStrictEqual(yield* stored(key.id), revoked)
  })

  it.onTwoHosts(
    "a key that one host revokes or rotates is found so by another that has found it before",
    function* (other) {
      const store = yield* KeyStore
      const { findByHash, findById } = Context.get(other, KeyStore)
      const [revoked, rotated] = [yield* ownKey, yield* ownKey]
      const both = [revoked, rotated].flatMap((key) => [findByHash(key.hash), findById(key.id)])
      for (const find of both) assert.isTrue(Option.isSome(yield* find))
      yield* store.revoke(revoked.id, instant(10))
      const replacement = { ...makeKey(yield* newAccount), accountId: rotated.accountId }
      yield* store.rotate({ old: rotated.id, oldExpiresAt: instant(150), now: instant(100), replacement })
      const keys = yield* Effect.forEach(both, (find) =>
        Effect.map(find, (one) => plainKey(Option.getOrThrow(one).key))
      )
      const now = [
        { ...revoked, revokedAt: instant(10) },
        { ...rotated, expiresAt: instant(150) }
      ].map(plainKey)
      assert.deepStrictEqual(keys, [now[0], now[0], now[1], now[1]])
    }
  )

  it.effect("many concurrent revocations all answer the one that is stored", function* () {
    const store = yield* KeyStore
    const key = yield* ownKey
    const answers = yield* Effect.forEach(
      many.map((index) => instant(index)),
      (at) => store.revoke(key.id, at),
      { concurrency: "unbounded" }
    )
    const now = yield* stored(key.id)
    for (const answer of answers) assert.deepStrictEqual(found(plainKey, answer), now)
  })

  it.effect("revoking an unknown key answers that there is none", function* () {
    const store = yield* KeyStore
    assert.isTrue(Option.isNone(yield* store.revoke(KeyId.make(idAt(1)), instant(0))))
  })

  it.effect("a rotation stores the new key and ends the old one", function* () {
    const store = yield* KeyStore
    const account = yield* newAccount
    for (const expiry of [{}, { expiresAt: instant(101) }]) {
      const old = yield* newKey(account, expiry)
      const replacement = makeKey(account, { expiresAt: instant(9000) })
      assert.isTrue(yield* store.rotate({ old: old.id, oldExpiresAt: instant(150), now: instant(100), replacement }))
      assert.deepStrictEqual(yield* stored(old.id), plainKey({ ...old, expiresAt: instant(150) }))
      assert.deepStrictEqual(yield* stored(replacement.id), plainKey(replacement))
    }
  })

  it.effect("a key that is unknown, revoked, expired or expires at this instant can't be rotated", function* () {
    const store = yield* KeyStore
    const account = yield* newAccount
    const unknown = makeKey(account)
    const revoked = makeKey(account, { revokedAt: instant(500) })
    const expired = makeKey(account, { expiresAt: instant(99) })
    const expiring = makeKey(account, { expiresAt: instant(100) })
    yield* Effect.forEach([revoked, expired, expiring], (key) => store.insert(key))
    for (const old of [unknown, revoked, expired, expiring]) {
      const replacement = makeKey(account)
      assert.isFalse(yield* store.rotate({ old: old.id, oldExpiresAt: instant(150), now: instant(100), replacement }))
      assert.isUndefined(yield* stored(replacement.id), "the replacement was stored all the same")
      assert.deepStrictEqual(yield* stored(old.id), old === unknown ? undefined : plainKey(old))
    }
  })

  assertWhole(it, keyCommits)
  assertOnce(it, keyCommits)

  it.effect("a rotation uses the time that it is given and not the engine's clock", function* () {
    const store = yield* KeyStore
    const account = yield* newAccount
    for (const at of epochs) {
      const [live, over] = [makeKey(account, { expiresAt: after(at, 1) }), makeKey(account, { expiresAt: at })]
      const replacements = [makeKey(account, { createdAt: at }), makeKey(account, { createdAt: at })] as const
      yield* store.insert(live)
      yield* store.insert(over)
      const times = { now: at, oldExpiresAt: at }
      assert.isTrue(yield* store.rotate({ ...times, old: live.id, replacement: replacements[0] }))
      assert.isFalse(yield* store.rotate({ ...times, old: over.id, replacement: replacements[1] }))
      assert.deepStrictEqual(yield* stored(live.id), plainKey({ ...live, expiresAt: at }))
      assert.deepStrictEqual(yield* stored(replacements[0].id), plainKey(replacements[0]))
      assert.isUndefined(yield* stored(replacements[1].id))
      yield* store.touch(over.id, at)
      yield* store.revoke(over.id, at)
      assert.deepStrictEqual(yield* stored(over.id), plainKey({ ...over, lastUsedAt: at, revokedAt: at }))
    }
  })

  it.effect("a use is recorded, and an earlier one doesn't overwrite it", function* () {
    const store = yield* KeyStore
    const key = yield* ownKey
    for (const [at, lastUsed] of [
      [50, 50],
      [20, 50],
      [50, 50],
      [51, 51]
    ] as const) {
      yield* store.touch(key.id, instant(at))
      assert.deepStrictEqual(yield* stored(key.id), plainKey({ ...key, lastUsedAt: instant(lastUsed) }))
    }
  })

  it.effect("the latest of many concurrent uses is kept", function* () {
    const store = yield* KeyStore
    const key = yield* ownKey
    yield* Effect.forEach([3, 16, 8, 1, 15, 7, 2], (at) => store.touch(key.id, instant(at)), {
      concurrency: "unbounded",
      discard: true
    })
    assert.deepStrictEqual(yield* stored(key.id), plainKey({ ...key, lastUsedAt: instant(16) }))
  })
}
