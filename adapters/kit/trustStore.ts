import { assert } from "@effect/vitest"
import { Context, Effect, Option } from "effect"
import type { Repository, RepositoryTrust } from "../../core/model/Repository.ts"
import type { AccountStore } from "../../core/ports/AccountStore.ts"
import type { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { TrustStore } from "../../core/ports/TrustStore.ts"
import { keyOf, newHome } from "./parts/stored.ts"
import { plainAccount, plainKey, plainRepository, plainTrust } from "./parts/plain.ts"
import { assertOnce, assertWhole, many, trustCommits } from "./parts/commits.ts"
import { instant, makeKey, makeRepository, makeTrust, nameOf } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

/** What the cases need beside a `TrustStore`: trusts are of linked repositories, and tokens become keys. */
type TrustPorts = AccountStore | RepositoryStore | BuildStore | KeyStore | TrustStore

const trusting = Effect.fnUntraced(function* (repository: Repository, fields: Partial<RepositoryTrust> = {}) {
  const trust = makeTrust(repository, fields)
  yield* (yield* TrustStore).trust(trust)
  return trust
})

/** What is trusted of an issuer, and the account and repository that it is of. */
const foundFor = Effect.fnUntraced(function* (repository: Repository, issuer: string) {
  const found = yield* (yield* TrustStore).find(keyOf(repository), issuer)
  if (Option.isNone(found)) return undefined
  const trust = Option.getOrUndefined(found.value.trust)
  return {
    account: plainAccount(found.value.account),
    repository: plainRepository(found.value.repository),
    trust: trust && plainTrust(trust)
  }
})

const exchange = (key: ReturnType<typeof makeKey>, tokenHash: string, at = 10) =>
  TrustStore.use((store) => store.exchange({ tokenHash, endsAt: instant(at + 100), now: instant(at), key }))

const isStored = (key: ReturnType<typeof makeKey>) =>
  Effect.map(
    KeyStore.use((store) => store.findByHash(key.hash)),
    Option.isSome
  )

export const trustStoreCases = (it: Cases<TrustPorts>) => {
  it.effect("a trust is found by its repository and its issuer, with every field and the account", function* () {
    const { account, repository } = yield* newHome
    const nothing = { account: plainAccount(account), repository: plainRepository(repository), trust: undefined }
    assert.deepStrictEqual(yield* foundFor(repository, "https://issuer.example"), nothing)
    const trust = yield* trusting(repository, { scopes: ["builds", "preview_upload", "test_runs"] })
    const other = yield* trusting(repository, {
      issuer: "https://other.example",
      scopes: ["test_runs"],
      conditions: {
        branches: ["main", "Müsli \"q\" \\ 'x' 🙂 %_*"],
        environments: ["release"],
        workflows: ["acme/app/.github/workflows/release.yml@*"],
        pullRequestTarget: true
      },
      pinned: { repository: "74", owner: "65" }
    })
    for (const one of [trust, other]) {
      assert.deepStrictEqual(yield* foundFor(repository, one.issuer), { ...nothing, trust: plainTrust(one) })
    }
    for (const issuer of ["https://issuer.example/", "https://ISSUER.example", ""]) {
      assert.deepStrictEqual(yield* foundFor(repository, issuer), nothing)
    }
  })

  it.effect(
    "a repository that is not linked is not found, and the account that links it has its own trust",
    function* () {
      const repositories = yield* RepositoryStore
      const [home, other] = [yield* newHome, yield* newHome]
      const { issuer } = yield* trusting(home.repository)
      yield* repositories.unlink(home.account.id, keyOf(home.repository))
      assert.isUndefined(yield* foundFor(home.repository, issuer))
      assert.isUndefined(yield* foundFor(makeRepository(home.account), issuer))
      const { owner, repo } = home.repository
      const theirs = yield* repositories.link(makeRepository(other.account, { owner, repo }))
      const found = yield* foundFor(theirs, issuer)
      assert.deepStrictEqual(found?.account, plainAccount(other.account))
      assert.isUndefined(found?.trust)
    }
  )

  it.effect("a repository that is unlinked and linked again trusts nobody, and others trust on", function* () {
    const store = yield* TrustStore
    const repositories = yield* RepositoryStore
    const { account, repository } = yield* newHome
    const kept = yield* repositories.link(makeRepository(account))
    const issuer = `https://${nameOf("issuer")}.example`
    yield* trusting(repository, { issuer })
    yield* trusting(repository, { issuer: "https://other.example" })
    const still = yield* trusting(kept)
    yield* repositories.unlink(account.id, keyOf(repository))
    assert.isFalse(yield* store.isTrusted(issuer))
    const again = yield* repositories.link(repository)
    assert.isUndefined((yield* foundFor(again, issuer))?.trust)
    assert.deepStrictEqual(
      (yield* store.list(account.id)).map(({ trust }) => plainTrust(trust)),
      [plainTrust(still)]
    )
  })

  it.effect("an issuer is trusted for as long as any repository trusts it", function* () {
    const store = yield* TrustStore
    const [home, other] = [yield* newHome, yield* newHome]
    const issuer = `https://${nameOf("issuer")}.example`
    assert.isFalse(yield* store.isTrusted(issuer))
    yield* trusting(home.repository, { issuer })
    yield* trusting(other.repository, { issuer })
    yield* store.untrust(home.repository.id, issuer)
    assert.isTrue(yield* store.isTrusted(issuer))
    assert.isFalse(yield* store.isTrusted(`${issuer}/`))
    yield* store.untrust(other.repository.id, issuer)
    assert.isFalse(yield* store.isTrusted(issuer))
  })

  it.effect("ids are pinned once, and stay when the trust is stored again without others", function* () {
    const store = yield* TrustStore
    const [home, other] = [yield* newHome, yield* newHome]
    const [first, second] = [
      { repository: "1", owner: "2" },
      { repository: "3", owner: "4" }
    ]
    const trust = yield* trusting(home.repository)
    const elsewhere = yield* trusting(other.repository)
    const { issuer } = trust
    assert.isFalse(yield* store.pin(home.repository.id, "https://nobody.example", first))
    assert.isTrue(yield* store.pin(home.repository.id, issuer, first))
    assert.isFalse(yield* store.pin(home.repository.id, issuer, second))
    const isTrusted = (expected: RepositoryTrust) =>
      Effect.map(foundFor(home.repository, issuer), (found) =>
        assert.deepStrictEqual(found?.trust, plainTrust(expected))
      )
    yield* isTrusted({ ...trust, pinned: first })
    assert.deepStrictEqual((yield* foundFor(other.repository, issuer))?.trust, plainTrust(elsewhere))
    const replacement = makeTrust(home.repository, { scopes: ["test_runs"], conditions: { branches: ["main"] } })
    assert.deepStrictEqual(plainTrust(yield* store.trust(replacement)), plainTrust({ ...replacement, pinned: first }))
    yield* isTrusted({ ...replacement, pinned: first })
    const { conditions: _, ...bare } = { ...replacement, pinned: second }
    assert.deepStrictEqual(plainTrust(yield* store.trust(bare)), plainTrust(bare))
    yield* isTrusted(bare)
    yield* store.untrust(home.repository.id, issuer)
    assert.deepStrictEqual(plainTrust(yield* store.trust(replacement)), plainTrust(replacement))
  })

  assertWhole(it, trustCommits)
  assertOnce(it, trustCommits)

  it.effect("a trust replaces the one before, and no other repository's or issuer's", function* () {
    const [home, other] = [yield* newHome, yield* newHome]
    const first = yield* trusting(home.repository)
    const elsewhere = yield* trusting(other.repository)
    const another = yield* trusting(home.repository, { issuer: "https://other.example" })
    const next = yield* trusting(home.repository, { scopes: ["test_runs"], createdAt: instant(99) })
    assert.deepStrictEqual((yield* foundFor(home.repository, first.issuer))?.trust, plainTrust(next))
    assert.deepStrictEqual((yield* foundFor(home.repository, another.issuer))?.trust, plainTrust(another))
    assert.deepStrictEqual((yield* foundFor(other.repository, first.issuer))?.trust, plainTrust(elsewhere))
  })

  it.effect("ending a trust answers whether there was one, and ends no other", function* () {
    const store = yield* TrustStore
    const [home, other] = [yield* newHome, yield* newHome]
    const { issuer } = yield* trusting(home.repository)
    const kept = [
      yield* trusting(home.repository, { issuer: "https://other.example" }),
      yield* trusting(other.repository)
    ]
    assert.isTrue(yield* store.untrust(home.repository.id, issuer))
    assert.isFalse(yield* store.untrust(home.repository.id, issuer))
    assert.isUndefined((yield* foundFor(home.repository, issuer))?.trust)
    assert.deepStrictEqual((yield* foundFor(home.repository, kept[0]?.issuer ?? ""))?.trust?.issuer, kept[0]?.issuer)
    assert.isDefined((yield* foundFor(other.repository, issuer))?.trust)
  })

  it.effect("the list holds what the account's linked repositories trust, and nothing else", function* () {
    const store = yield* TrustStore
    const [home, other] = [yield* newHome, yield* newHome]
    const second = yield* (yield* RepositoryStore).link(makeRepository(home.account))
    const unlinked = yield* (yield* RepositoryStore).link(makeRepository(home.account))
    const listed = Effect.map(store.list(home.account.id), (all) =>
      all.map(({ repository, trust }) => ({ repository: plainRepository(repository), trust: plainTrust(trust) }))
    )
    assert.deepStrictEqual(yield* listed, [])
    const expected = [
      { repository: home.repository, trust: yield* trusting(home.repository) },
      { repository: home.repository, trust: yield* trusting(home.repository, { issuer: "https://other.example" }) },
      { repository: second, trust: yield* trusting(second) }
    ].map(({ repository, trust }) => ({ repository: plainRepository(repository), trust: plainTrust(trust) }))
    yield* trusting(other.repository)
    yield* trusting(unlinked)
    yield* (yield* RepositoryStore).unlink(home.account.id, keyOf(unlinked))
    assert.sameDeepMembers(yield* listed, expected)
  })

  it.effect("a token is exchanged once, and its key is stored with that", function* () {
    const { account } = yield* newHome
    const [first, second, third] = [makeKey(account), makeKey(account), makeKey(account)]
    const [token, other] = [nameOf("token"), nameOf("token")]
    assert.isTrue(yield* exchange(first, token))
    const stored = Option.getOrThrow(yield* (yield* KeyStore).findByHash(first.hash))
    assert.deepStrictEqual(plainKey(stored.key), plainKey(first))
    assert.isFalse(yield* exchange(second, token))
    assert.isFalse(yield* exchange(second, token, 60))
    assert.isFalse(yield* isStored(second))
    assert.isTrue(yield* exchange(third, other))
    assert.deepStrictEqual((yield* (yield* KeyStore).list(account.id)).length, 2)
  })

  it.onTwoHosts("a secret that one host used counts no more on another", function* (other) {
    const secret = { tokenHash: nameOf("secret"), endsAt: instant(110), now: instant(10) }
    assert.isTrue(yield* (yield* TrustStore).use(secret))
    assert.isFalse(yield* Context.get(other, TrustStore).use(secret))
  })

  it.effect("a secret counts once, also of many uses at once, and whether or not it was exchanged", function* () {
    const store = yield* TrustStore
    const { account } = yield* newHome
    const [first, second] = [nameOf("secret"), nameOf("secret")]
    const use = (tokenHash: string, at = 10) => store.use({ tokenHash, endsAt: instant(at + 100), now: instant(at) })
    const answers = yield* Effect.forEach(many, () => use(first), { concurrency: "unbounded" })
    assert.deepStrictEqual(answers.filter(Boolean), [true])
    assert.isFalse(yield* use(first, 60))
    const key = makeKey(account)
    assert.isFalse(yield* exchange(key, first))
    assert.isFalse(yield* isStored(key))
    assert.isTrue(yield* exchange(key, second))
    assert.isFalse(yield* use(second))
  })
}
