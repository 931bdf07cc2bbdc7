import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { assertFound, assertKept, everyCharacter, found, plainAccount } from "./parts/plain.ts"
import { concurrently, many, onlyWinner } from "./parts/commits.ts"
import { instant, makeAccount, nameOf } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"

export const accountStoreCases = (it: Cases<AccountStore>) => {
  assertKept(it, "an account", {
    owner: Effect.void,
    full: (_, name, createdAt) => makeAccount({ name, createdAt }),
    bare: () => makeAccount(),
    store: (account) => AccountStore.use((store) => store.insert(account)),
    read: ({ name }) =>
      Effect.map(
        AccountStore.use((store) => store.findByName(name)),
        (one) => [found(plainAccount, one)]
      ),
    expected: (account) => [plainAccount(account)]
  })

  it.effect("an unknown name finds nothing", function* () {
    const store = yield* AccountStore
    assert.isTrue(Option.isNone(yield* store.findByName(nameOf("nobody"))))
  })

  it.effect("a taken name is refused, and the first account stays", function* () {
    const store = yield* AccountStore
    const account = makeAccount()
    const second = makeAccount({ name: account.name, createdAt: instant(5) })
    yield* store.insert(account)
    const error = yield* Effect.flip(store.insert(second))
    assert.strictEqual(error._tag, "NameTaken")
    assertFound(plainAccount, yield* store.findByName(account.name), account)
    const ids = (yield* store.list).map((one) => one.id)
    assert.isFalse(ids.includes(second.id), "the refused account is in the list")
  })

  it.effect("exactly one of many concurrent inserts of one name succeeds", function* () {
    const store = yield* AccountStore
    const name = nameOf("contended")
    const accounts = many.map(() => makeAccount({ name }))
    const winner = onlyWinner(yield* concurrently(accounts.map(store.insert)), NameTaken)
    assert.deepStrictEqual((yield* store.list).map(plainAccount), accounts.slice(winner, winner + 1).map(plainAccount))
  })

  it.effect("the list is ordered by name by code unit, not as a language or UTF-8 would", function* () {
    const store = yield* AccountStore
    const names = [...everyCharacter, "ab", "B", "äb", "Zb", "a b", "\uff5eb", "\u{1f642}b", "10", "9"]
    yield* Effect.forEach(names, (name) => store.insert(makeAccount({ name })), { concurrency: 8, discard: true })
    const listed = (yield* store.list).map(({ name }) => name)
    assert.deepStrictEqual(listed, names.toSorted())
  })

  it.effect("a new store is empty and holds nothing that another case stored", function* () {
    assert.deepStrictEqual(yield* (yield* AccountStore).list, [])
  })
}
