import { assert } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import { ShareId } from "../../core/model/Preview.ts"
import { ShareLinkId, type ShareLink } from "../../core/model/Resource.ts"
import { TestRunId } from "../../core/model/TestRun.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { assertFound, assertPages, found, idsOf, plainShareLink } from "./parts/plain.ts"
import { many } from "./parts/commits.ts"
import { idAt, instant, makeShareLink } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { newAccount } from "./parts/stored.ts"

/** What the cases need beside a `ShareLinkStore`: links belong to accounts. */
type ShareLinkPorts = AccountStore | ShareLinkStore

const newLink = (fields: Partial<ShareLink> = {}) =>
  Effect.gen(function* () {
    const link = makeShareLink(yield* newAccount, fields)
    yield* (yield* ShareLinkStore).insert(link)
    return link
  })

/** The badge with the longest names, in letters of three bytes. */
const longestBadge = { badge: { owner: "東".repeat(100), repo: "京".repeat(100), branch: "港".repeat(255) } }

const stored = (id: ShareLinkId) =>
  Effect.gen(function* () {
    return found(plainShareLink, yield* (yield* ShareLinkStore).find(id))
  })

export const shareLinkStoreCases = (it: Cases<ShareLinkPorts>) => {
  it.effect("a link is found by hash and by id with every field unchanged, expired or not", function* () {
    const store = yield* ShareLinkStore
    const links = [
      yield* newLink(),
      yield* newLink({ shared: { run: TestRunId.make(idAt(1)) }, expiresAt: instant(1) }),
      yield* newLink({ createdAt: instant(123), expiresAt: instant(456), revokedAt: instant(234) }),
      yield* newLink({ shared: longestBadge })
    ]
    for (const link of links) {
      for (const one of [yield* store.find(link.id), yield* store.findByHash(link.secretHash)]) {
        assertFound(plainShareLink, one, link)
      }
    }
  })

  it.effect("an unknown hash or id finds nothing", function* () {
    const store = yield* ShareLinkStore
    const { id, secretHash } = yield* newLink()
    assert.isTrue(Option.isNone(yield* store.findByHash(id)))
    assert.isTrue(Option.isNone(yield* store.findByHash(secretHash.toUpperCase())))
    assert.isTrue(Option.isNone(yield* store.find(ShareLinkId.make(secretHash))))
  })

  it.effect(
    "the list holds the account's links to that one resource, newest first, after one, within the limit",
    function* () {
      const store = yield* ShareLinkStore
      const [account, other] = [yield* newAccount, yield* newAccount]
      const shared = { preview: ShareId.make(idAt(1)) }
      const links = [3, 1, 2].map((at) =>
        makeShareLink(account, { id: ShareLinkId.make(idAt(at)), shared, revokedAt: instant(9) })
      )
      const elsewhere = [
        makeShareLink(account, { shared: longestBadge }),
        makeShareLink(account, { shared: { preview: ShareId.make(idAt(2)) } }),
        makeShareLink(account, { shared: { run: TestRunId.make(shared.preview) } }),
        makeShareLink(other, { shared })
      ]
      for (const link of [...links, ...elsewhere]) yield* store.insert(link)
      yield* assertPages(idsOf(links).toSorted().toReversed(), (limit, after) =>
        Effect.map(store.list({ account: account.id, shared, after, limit }), idsOf)
      )
      assert.strictEqual((yield* store.list({ account: account.id, shared: longestBadge, limit: 10 })).length, 1)
      assert.deepStrictEqual(yield* store.list({ account: (yield* newAccount).id, shared, limit: 10 }), [])
    }
  )

  it.effect("a second revocation doesn't change the first", function* () {
    const store = yield* ShareLinkStore
    const link = yield* newLink()
    for (const at of [20, 10, 30]) {
      const revoked = found(plainShareLink, yield* store.revoke(link.accountId, link.id, instant(at)))
      assert.deepStrictEqual(revoked, plainShareLink({ ...link, revokedAt: instant(20) }))
      assert.deepStrictEqual(yield* stored(link.id), revoked)
    }
  })

  it.effect("many concurrent revocations all answer the one that is stored", function* () {
    const store = yield* ShareLinkStore
    const { accountId, id } = yield* newLink()
    const answers = yield* Effect.forEach(many, (at) => store.revoke(accountId, id, instant(at)), {
      concurrency: "unbounded"
    })
    const last = yield* stored(id)
    assert.isDefined(last?.revokedAt)
    for (const answer of answers) assert.deepStrictEqual(found(plainShareLink, answer), last)
  })

  it.onTwoHosts("a link that one host revokes is found revoked by another that has found it before", function* (other) {
    const store = yield* ShareLinkStore
    const { find, findByHash } = Context.get(other, ShareLinkStore)
    const link = yield* newLink()
    for (const one of [yield* find(link.id), yield* findByHash(link.secretHash)]) assertFound(plainShareLink, one, link)
    yield* store.revoke(link.accountId, link.id, instant(7))
    for (const one of [yield* find(link.id), yield* findByHash(link.secretHash)]) {
      assertFound(plainShareLink, one, { ...link, revokedAt: instant(7) })
    }
  })

  it.effect("another account revokes nothing, and neither does an unknown link", function* () {
    const store = yield* ShareLinkStore
    const link = yield* newLink()
    const stranger = yield* newAccount
    assert.isTrue(Option.isNone(yield* store.revoke(stranger.id, link.id, instant(1))))
    assert.isTrue(Option.isNone(yield* store.revoke(link.accountId, ShareLinkId.make(idAt(1)), instant(1))))
    assert.deepStrictEqual(yield* stored(link.id), plainShareLink(link))
  })
}
