import { assert } from "@effect/vitest"
import { Context, Effect, Option, Result } from "effect"
import type { Account } from "../../core/model/Account.ts"
import { repositoryKey, type Repository } from "../../core/model/Repository.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { assertFound, awkward, everyCharacter, found, plainRepository } from "./parts/plain.ts"
import { many, wheneverInterrupted } from "./parts/commits.ts"
import { instant, makeRepository, nameOf } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { newAccount } from "./parts/stored.ts"

/** What the cases need beside a `RepositoryStore`: links belong to accounts. */
type RepositoryPorts = AccountStore | RepositoryStore

const newAccounts = Effect.all([newAccount, newAccount])

const keyOf = ({ owner, repo }: Repository) => repositoryKey(owner, repo)

const linkOf = (account: Account, repository: Repository) =>
  Effect.gen(function* () {
    return found(plainRepository, yield* (yield* RepositoryStore).find(account.id, keyOf(repository)))
  })

export const repositoryStoreCases = (it: Cases<RepositoryPorts>) => {
  it.effect("a link is answered and found with every field unchanged", function* () {
    const store = yield* RepositoryStore
    const [account] = yield* newAccounts
    const repository = makeRepository(account, {
      owner: nameOf(`Group/Sub "q" \\ 'x' 🙂`),
      repo: "Müsli.%_",
      linkedAt: instant(77)
    })
    assert.deepStrictEqual(plainRepository(yield* store.link(repository)), plainRepository(repository))
    assert.deepStrictEqual(yield* linkOf(account, repository), plainRepository(repository))
  })

  it.effect("a repository that isn't linked isn't found", function* () {
    const store = yield* RepositoryStore
    const [account] = yield* newAccounts
    assert.isUndefined(yield* linkOf(account, makeRepository(account)))
    assert.deepStrictEqual(yield* store.list(account.id), [])
  })

  it.effect("another account doesn't find the link", function* () {
    const store = yield* RepositoryStore
    const [account, other] = yield* newAccounts
    const repository = yield* store.link(makeRepository(account))
    assert.isUndefined(yield* linkOf(other, repository))
    assert.deepStrictEqual(yield* store.list(other.id), [])
  })

  it.effect("linking again in another letter case answers the existing link", function* () {
    const store = yield* RepositoryStore
    const [account] = yield* newAccounts
    const repository = makeRepository(account, { owner: nameOf("ACME"), repo: "App" })
    const again = makeRepository(account, {
      owner: repository.owner.toLowerCase(),
      repo: "APP",
      linkedAt: instant(99)
    })
    yield* store.link(repository)
    assert.deepStrictEqual(plainRepository(yield* store.link(again)), plainRepository(repository))
    assert.deepStrictEqual((yield* store.list(account.id)).map(plainRepository), [plainRepository(repository)])
  })

  it.effect("a repository that is linked elsewhere is refused, and nothing changes", function* () {
    const store = yield* RepositoryStore
    const [account, other] = yield* newAccounts
    const repository = yield* store.link(makeRepository(account))
    const theirs = makeRepository(other, { owner: repository.owner.toUpperCase(), repo: repository.repo })
    const error = yield* Effect.flip(store.link(theirs))
    assert.strictEqual(error._tag, "LinkedElsewhere")
    assert.isUndefined(yield* linkOf(other, repository))
    assert.deepStrictEqual(yield* linkOf(account, repository), plainRepository(repository))
  })

  it.effect(
    "an unlinked repository isn't found any more, and unlinking again answers that there was no link",
    function* () {
      const store = yield* RepositoryStore
      const [account, other] = yield* newAccounts
      const repository = yield* store.link(makeRepository(account))
      assert.isFalse(yield* store.unlink(other.id, keyOf(repository)), "unlinked by an account that hasn't linked it")
      assert.isTrue(yield* store.unlink(account.id, keyOf(repository)))
      assert.isFalse(yield* store.unlink(account.id, keyOf(repository)))
      assert.isUndefined(yield* linkOf(account, repository))
      assert.deepStrictEqual(yield* store.list(account.id), [])
    }
  )

  it.onTwoHosts(
    "a repository that one host unlinks isn't found by another that has found it before",
    function* (other) {
      const store = yield* RepositoryStore
      const { find } = Context.get(other, RepositoryStore)
      const [account] = yield* newAccounts
      const repository = yield* store.link(makeRepository(account))
      assertFound(plainRepository, yield* find(account.id, keyOf(repository)), repository)
      yield* store.unlink(account.id, keyOf(repository))
      assert.isTrue(Option.isNone(yield* find(account.id, keyOf(repository))))
    }
  )

  it.effect("a repository that is linked again keeps its id and gets the new owner, repo and time", function* () {
    const store = yield* RepositoryStore
    const [account] = yield* newAccounts
    const repository = yield* store.link(makeRepository(account))
    yield* store.unlink(account.id, keyOf(repository))
    const again = makeRepository(account, {
      owner: repository.owner.toUpperCase(),
      repo: repository.repo.toUpperCase(),
      linkedAt: instant(99)
    })
    const expected = plainRepository({ ...again, id: repository.id })
    assert.deepStrictEqual(plainRepository(yield* store.link(again)), expected)
    assert.deepStrictEqual(yield* linkOf(account, repository), expected)
  })

  it.effect("settings are those of the link, set and unset, until the repository is linked again", function* () {
    const store = yield* RepositoryStore
    const [account, other] = yield* newAccounts
    const webUrl = "https://github.com/acme/app"
    const repository = yield* store.link(makeRepository(account, { defaultBranch: "trunk" }))
    const key = keyOf(repository)
    const branch = Effect.map(linkOf(account, repository), (link) => link?.defaultBranch)
    assert.strictEqual(yield* branch, "trunk")
    yield* store.link(makeRepository(account, { ...repository, defaultBranch: "ignored" }))
    assert.strictEqual(yield* branch, "trunk", "an existing link stays as it is")
    assert.isFalse(yield* store.configure(other.id, key, { defaultBranch: "theirs" }))
    assert.isTrue(yield* store.configure(account.id, key, { defaultBranch: "main/ß 🙂", webUrl }))
    assert.strictEqual(yield* branch, "main/ß 🙂")
    assert.strictEqual((yield* linkOf(account, repository))?.webUrl, webUrl)
    assert.deepStrictEqual(
      (yield* store.list(account.id)).map(({ defaultBranch }) => defaultBranch),
      ["main/ß 🙂"]
    )
    assert.isTrue(yield* store.configure(account.id, key, {}))
    assert.isUndefined(yield* branch)
    assert.isUndefined((yield* linkOf(account, repository))?.webUrl)
    yield* store.configure(account.id, key, { defaultBranch: "main" })
    yield* store.unlink(account.id, key)
    assert.isFalse(yield* store.configure(account.id, key, { defaultBranch: "other" }))
    yield* store.link(makeRepository(account, { owner: repository.owner }))
    assert.isUndefined(yield* branch, "it is the one of the new link")
  })

  it.effect("a repository moves to another account and back, each with its own id", function* () {
    const store = yield* RepositoryStore
    const [account, other] = yield* newAccounts
    const ours = yield* store.link(makeRepository(account))
    const theirs = makeRepository(other, { owner: ours.owner, repo: ours.repo })
    yield* store.unlink(account.id, keyOf(ours))
    assert.deepStrictEqual(plainRepository(yield* store.link(theirs)), plainRepository(theirs))
    assert.strictEqual((yield* Effect.flip(store.link(ours)))._tag, "LinkedElsewhere")
    assert.isUndefined(yield* linkOf(account, ours))
    yield* store.unlink(other.id, keyOf(ours))
    assert.deepStrictEqual(plainRepository(yield* store.link({ ...ours, id: theirs.id })), plainRepository(ours))
  })

  it.effect("exactly one of two accounts that link a repository at the same time succeeds", function* () {
    const store = yield* RepositoryStore
    const accounts = yield* newAccounts
    const owner = nameOf("contended")
    // Half of them link for the first time, and half had linked it before.
    for (let round = 0; round < 2; round++) {
      const attempts = many.map((index) => makeRepository(accounts[index % 2 ? 1 : 0], { owner }))
      const results = yield* Effect.forEach(attempts, (attempt) => Effect.result(store.link(attempt)), {
        concurrency: "unbounded"
      })
      const linked = results.filter(Result.isSuccess).map((result) => plainRepository(result.success))
      assert.isAbove(linked.length, 0)
      for (const link of linked) assert.deepStrictEqual(link, linked[0], "two links of one repository")
      const holders = accounts.filter((account) => account.id === linked[0]?.accountId)
      assert.strictEqual(
        linked.length,
        many.length / 2,
        "the account that got it was refused at times, or the other one wasn't"
      )
      yield* Effect.forEach(holders, (holder) => store.unlink(holder.id, repositoryKey(owner, "Repo")))
    }
  })

  it.effect("owners and names of any text are stored unchanged and found by their key", function* () {
    const store = yield* RepositoryStore
    const [account] = yield* newAccounts
    const names = awkward.filter((name) => !name.includes("/"))
    const given = [
      ...awkward.map((owner) => makeRepository(account, { owner })),
      ...names.map((repo) => makeRepository(account, { owner: "owner", repo }))
    ]
    // Some of these are equal in lower case and share one link.
    const first = new Map<string, Repository>()
    for (const repository of given) {
      const key = JSON.stringify(keyOf(repository))
      const expected = first.get(key) ?? repository
      first.set(key, expected)
      assert.deepStrictEqual(plainRepository(yield* store.link(repository)), plainRepository(expected))
    }
    for (const repository of given) {
      const expected = first.get(JSON.stringify(keyOf(repository)))
      assert.deepStrictEqual(yield* linkOf(account, repository), expected && plainRepository(expected))
    }
    assert.strictEqual((yield* store.list(account.id)).length, first.size)
  })

  it.effect("letter case is decided by the key and not by the rules of a language", function* () {
    const store = yield* RepositoryStore
    const [account] = yield* newAccounts
    const owner = nameOf("case")
    for (const [linked, same, others] of [
      ["\u0130", "\u0130", ["i", "\u0131", "I"]],
      ["\u039f\u03a3", "\u03bf\u03c2", ["\u03bf\u03c3"]],
      ["\u212aelvin", "kELVIN", ["\u212bngstrom"]],
      ["STRA\u1e9eE", "stra\u00dfe", ["strasse"]],
      ["\u01c5", "\u01c4", ["dz"]],
      ["\u{10400}", "\u{10428}", ["\u{10429}"]]
    ] as const) {
      const repository = yield* store.link(makeRepository(account, { owner, repo: linked }))
      const sameOne = makeRepository(account, { owner, repo: same })
      assert.deepStrictEqual(yield* linkOf(account, sameOne), plainRepository(repository), same)
      for (const repo of others) assert.isUndefined(yield* linkOf(account, makeRepository(account, { owner, repo })))
      yield* store.unlink(account.id, keyOf(repository))
    }
  })

  it.effect("every character that a name may hold comes back, and the list is ordered by code unit", function* () {
    const store = yield* RepositoryStore
    const [account] = yield* newAccounts
    const repositories = everyCharacter.map((owner) => makeRepository(account, { owner }))
    yield* Effect.forEach(repositories.toReversed(), store.link, { concurrency: 8, discard: true })
    const ordered = repositories.toSorted((a, b) => (keyOf(a).owner < keyOf(b).owner ? -1 : 1))
    assert.deepStrictEqual((yield* store.list(account.id)).map(plainRepository), ordered.map(plainRepository))
  })

  it.effect("a link that is interrupted at any moment is stored whole or not at all, and can be made again", () =>
    wheneverInterrupted(
      Effect.gen(function* () {
        const store = yield* RepositoryStore
        const [account, other] = yield* newAccounts
        const repository = makeRepository(account)
        return {
          run: store.link(repository),
          check: Effect.gen(function* () {
            const before = yield* linkOf(account, repository)
            if (before !== undefined) assert.deepStrictEqual(before, plainRepository(repository))
            assert.deepStrictEqual(plainRepository(yield* store.link(repository)), plainRepository(repository))
            yield* Effect.flip(store.link({ ...makeRepository(other), owner: repository.owner }))
          })
        }
      })
    )
  )

  it.effect(
    "names of the greatest length that differ in their last character are different repositories",
    function* () {
      const store = yield* RepositoryStore
      const [account] = yield* newAccounts
      const owner = nameOf("long").padEnd(1024, "漢字仮名交じり文")
      const repo = "長".repeat(1023)
      const [one, other] = [
        makeRepository(account, { owner, repo: `${repo}甲` }),
        makeRepository(account, { owner, repo: `${repo}乙` })
      ]
      yield* store.link(one)
      yield* store.link(other)
      assert.deepStrictEqual(yield* linkOf(account, one), plainRepository(one))
      assert.deepStrictEqual(yield* linkOf(account, other), plainRepository(other))
    }
  )

  it.effect("the list is ordered by owner, then repo, without regard to case", function* () {
    const store = yield* RepositoryStore
    const [account] = yield* newAccounts
    const prefix = nameOf("O")
    const names = [
      ["b", "x"],
      ["A", "z"],
      ["a", "Y"],
      ["\uff5e", "x"],
      ["\u{1f642}", "x"],
      ["a/b", "X"],
      ["B", "a"]
    ] as const
    yield* Effect.forEach(names, ([owner, repo]) =>
      store.link(makeRepository(account, { owner: prefix + owner, repo }))
    )
    assert.deepStrictEqual(
      (yield* store.list(account.id)).map(({ owner, repo }) => [owner.slice(prefix.length), repo]),
      [
        ["a", "Y"],
        ["A", "z"],
        ["a/b", "X"],
        ["B", "a"],
        ["b", "x"],
        ["\u{1f642}", "x"],
        ["\uff5e", "x"]
      ]
    )
    assert.isTrue(Option.isSome(yield* store.find(account.id, repositoryKey(prefix + "A/B", "x"))))
  })
}
