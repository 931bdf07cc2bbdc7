import { assert } from "@effect/vitest"
import { Effect, Option } from "effect"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { awkward, everyCharacter } from "./parts/characters.ts"
import { assertFound, plainAccount } from "./parts/plain.ts"
import { atOnce, many, onlyWinner } from "./parts/racing.ts"
import { instant, makeAccount, nameOf } from "./parts/samples.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"

export const accountStoreCases = (it: Cases<AccountStore>) => {
  it.effect("an inserted account is found by its name, with every field unchanged", function* () {
    const store = yield* AccountStore
    const account = makeAccount({ name: nameOf(`Größe 'n' "q" \\ %_ 𝒜🙂`), createdAt: instant(123) })
    yield* store.insert(account)
    assertFound(plainAccount, yield* store.findByName(account.name), account)
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
    const winner = onlyWinner(yield* atOnce(accounts.map(store.insert)), NameTaken)
    assert.deepStrictEqual((yield* store.list).map(plainAccount), accounts.slice(winner, winner + 1).map(plainAccount))
  })

  it.effect("names that differ by case, by a space or by their Unicode form are different names", function* () {
    const store = yield* AccountStore
    const name = nameOf("caf\u00e9")
    const accounts = [name, name.toUpperCase(), `${name} `, name.normalize("NFD")].map((name) => makeAccount({ name }))
    yield* Effect.forEach(accounts, store.insert)
    for (const account of accounts) {
      assertFound(plainAccount, yield* store.findByName(account.name), account)
    }
  })

  it.effect("names of every kind of text are stored unchanged and stay distinct", function* () {
    const store = yield* AccountStore
    const accounts = awkward.map((name) => makeAccount({ name }))
    yield* Effect.forEach(accounts, store.insert)
    for (const account of accounts) {
      assertFound(plainAccount, yield* store.findByName(account.name), account)
    }
  })

  it.effect("every character that a name may hold comes back, and the list is ordered by code unit", function* () {
    const store = yield* AccountStore
    const accounts = everyCharacter.map((name) => makeAccount({ name }))
    yield* Effect.forEach(accounts.toReversed(), store.insert, { concurrency: 8, discard: true })
    for (const account of accounts) {
      assertFound(plainAccount, yield* store.findByName(account.name), account)
    }
    const names = (yield* store.list).map(({ name }) => name)
    assert.deepStrictEqual(names, everyCharacter.toSorted())
  })

  it.effect("names of the greatest length that differ in their last character are different names", function* () {
    const store = yield* AccountStore
    const start = nameOf("long").padEnd(1023, "漢字仮名交じり文")
    const [one, other] = [makeAccount({ name: `${start}甲` }), makeAccount({ name: `${start}乙` })]
    yield* store.insert(one)
    yield* store.insert(other)
    assertFound(plainAccount, yield* store.findByName(one.name), one)
    assertFound(plainAccount, yield* store.findByName(other.name), other)
  })

  it.effect("the list is ordered by name by code unit, not as a language or UTF-8 would", function* () {
    const store = yield* AccountStore
    const prefix = nameOf("ordered")
    const accounts = ["a", "B", "ä", "Z", "a b", "\uff5e", "\u{1f642}", "", "10", "9"].map((end) =>
      makeAccount({ name: prefix + end })
    )
    yield* Effect.forEach(accounts, store.insert)
    const names = (yield* store.list).map(({ name }) => name).filter((name) => name.startsWith(prefix))
    const ends = names.map((name) => name.slice(prefix.length))
    assert.deepStrictEqual(ends, ["", "10", "9", "B", "Z", "a", "a b", "ä", "\u{1f642}", "\uff5e"])
  })

  it.effect("a new store is empty and holds nothing that another case stored", function* () {
    assert.deepStrictEqual(yield* (yield* AccountStore).list, [])
  })
}

export const accountStoreSuite = suiteOf("AccountStore", accountStoreCases)
