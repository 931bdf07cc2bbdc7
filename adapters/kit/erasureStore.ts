import { assert } from "@effect/vitest"
import { Effect, Option, type DateTime } from "effect"
import type { Account, AccountId } from "../../core/model/Account.ts"
import type { ErasedCounts, Erasure } from "../../core/model/MetadataRecord.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { ErasureStore } from "../../core/ports/ErasureStore.ts"
import { ClaimId, Outbox } from "../../core/ports/Outbox.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RemovalStore } from "../../core/ports/RemovalStore.ts"
import { addErasedCounts } from "../../core/rules/sweeps.ts"
import { newBuild, newHome } from "./parts/buildPorts.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { instant, makeAccount, makePreview, makeRemoval } from "./parts/samples.ts"
import { allNames, everyLeft, everything, foundBy, leftOf, newEverything } from "./parts/everything.ts"
import { idsOf } from "./parts/lists.ts"
import { suiteOf, type Cases } from "./parts/suite.ts"

const makeErasure = (fields: Partial<Erasure> = {}): Erasure => ({
  nameHash: "a name",
  at: instant(100),
  settledAt: instant(200),
  actor: { administrator: "command line" },
  gone: {},
  ...fields
})

/** Takes an account in steps until one takes nothing, as the service does. Answers what each step took, and the last one. */
const eraseAll = Effect.fnUntraced(function* (account: AccountId, now: DateTime.Utc, limit: number) {
  const store = yield* ErasureStore
  const steps: Array<ErasedCounts> = []
  while (steps.length < 200) {
    const uploads = (yield* store.uploads({ account, limit })).map((upload) => ({
      ...upload,
      removals: [makeRemoval({ id: account }, { prefix: `uploads/${upload.id}/` })]
    }))
    const step = yield* store.eraseStep({ account, now, uploads, limit })
    if (Object.keys(step.erased).length === 0) return { steps, isOver: step.isOver }
    steps.push(step.erased)
  }
  return yield* Effect.die("an account isn't taken after two hundred steps")
})

const sumOf = (steps: ReadonlyArray<ErasedCounts>): ErasedCounts => steps.reduce(addErasedCounts, {})

const accountsOf = (events: ReadonlyArray<{ readonly event: { readonly account: string } }>) =>
  events.map(({ event }) => event.account)

const twice = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.all([effect, effect], { concurrency: "unbounded" })

const begin = (account: Pick<Account, "id">, fields: Partial<Erasure> = {}) =>
  ErasureStore.use((store) => store.begin(account.id, makeErasure(fields)))

export const erasureStoreCases = (it: Cases<MetadataPorts>) => {
  it.effect("an account that is being erased is hidden from the first commit on, and no other is", function* () {
    const [erased, other] = [yield* newEverything, yield* newEverything]
    assert.deepStrictEqual(yield* foundBy(erased), allNames)
    assert.isTrue(yield* begin(erased.account))
    assert.deepStrictEqual(yield* foundBy(erased), [])
    assert.deepStrictEqual(yield* foundBy(other), allNames)
    yield* (yield* AccountStore).insert(makeAccount({ name: erased.account.name }))
    assert.isTrue(Option.isSome(yield* AccountStore.use((store) => store.findByName(erased.account.name))))
  })

  it.effect("an account is erased once; its erasure is listed as it was begun", function* () {
    const store = yield* ErasureStore
    const [first, second] = [yield* newHome, yield* newHome]
    const erasure = makeErasure({ address: "192.0.2.1", actor: { administrator: "Ada" } })
    assert.isFalse(yield* begin(makeAccount()))
    assert.deepStrictEqual(yield* store.list, [])
    const begun = yield* twice(store.begin(second.account.id, erasure))
    assert.deepStrictEqual(begun.toSorted(), [false, true])
    assert.isTrue(yield* begin(first.account))
    assert.isFalse(yield* begin(second.account))
    const ids = [first.account.id, second.account.id].toSorted()
    const listed = yield* store.list
    assert.deepStrictEqual(idsOf(listed), ids)
    assert.deepEqual(listed.find(({ id }) => id === second.account.id)?.erasure, erasure)
  })

  it.effect(
    "everything of an account is erased in steps, with removals of its bytes, and nothing of another",
    function* () {
      const [erased, other] = [yield* newEverything, yield* newEverything]
      const { id } = erased.account
      const store = yield* ErasureStore
      assert.deepStrictEqual(yield* leftOf(erased), everyLeft)
      yield* begin(erased.account)
      const { isOver, steps } = yield* eraseAll(id, instant(199), 3)
      assert.isFalse(isOver)
      assert.deepStrictEqual(sumOf(steps), everything)
      for (const { bytes: _, objects: __, sessions: ___, shareLinks: ____, ...records } of steps) {
        assert.isAtMost(
          Object.values(records).reduce((sum: number, some) => sum + (some ?? 0), 0),
          3
        )
      }
      assert.deepStrictEqual(
        (yield* store.list).map(({ erasure }) => erasure.gone),
        [everything]
      )
      const removals = yield* RemovalStore.use((removals) => removals.list({ limit: 100 }))
      assert.deepStrictEqual(
        removals.map(({ accountId }) => accountId),
        Array.from({ length: 4 }, () => id)
      )
      assert.isTrue((yield* eraseAll(id, instant(200), 3)).isOver)
      assert.deepStrictEqual(yield* leftOf(erased), [])
      const claimed = yield* Outbox.use((outbox) =>
        outbox.claim({ claim: ClaimId.make("a claim"), now: instant(300), until: instant(400), limit: 100 })
      )
      assert.notInclude(accountsOf(claimed), id)

      assert.deepStrictEqual(yield* leftOf(other), everyLeft)
      assert.deepStrictEqual(yield* foundBy(other), allNames)
      assert.include(accountsOf(claimed), other.account.id)
      yield* begin(other.account)
      assert.deepStrictEqual(sumOf((yield* eraseAll(other.account.id, instant(1), 100)).steps), everything)
    }
  )

  it.effect(
    "records that are stored meanwhile are erased too, and the account itself from the settled instant",
    function* () {
      const home = yield* newHome
      const { id } = home.account
      const store = yield* ErasureStore
      yield* begin(home.account)
      const now = (at: number) => eraseAll(id, instant(at), 10)
      assert.deepStrictEqual(yield* now(150), { steps: [{ repositories: 1 }], isOver: false })
      yield* PreviewStore.use((previews) => previews.commitReserve({ preview: makePreview(home.account) }))
      assert.deepStrictEqual(yield* now(199), { steps: [{ previews: 1 }], isOver: false })
      assert.strictEqual((yield* store.list).length, 1)
      const taken = yield* twice(store.eraseStep({ account: id, now: instant(200), uploads: [], limit: 10 }))
      assert.deepStrictEqual(taken.map(({ isOver }) => isOver).toSorted(), [false, true])
      assert.deepStrictEqual(yield* store.list, [])
      assert.deepStrictEqual(yield* now(300), { steps: [], isOver: false })
      assert.isFalse(yield* begin(home.account))
    }
  )

  it.effect("an account is not deleted while an upload of it is left", function* () {
    const home = yield* newHome
    yield* newBuild(home)
    const store = yield* ErasureStore
    yield* begin(home.account)
    const take = store.eraseStep({ account: home.account.id, now: instant(900), uploads: [], limit: 10 })
    assert.deepStrictEqual(yield* take, { erased: {}, isOver: false })
    assert.strictEqual((yield* store.uploads({ account: home.account.id, limit: 10 })).length, 1)
    const { isOver, steps } = yield* eraseAll(home.account.id, instant(900), 10)
    assert.deepStrictEqual([isOver, sumOf(steps)], [true, { uploads: 1, builds: 1, repositories: 1 }])
  })

  it.effect("nothing is erased of an account that is not being erased, nor of another account", function* () {
    const [erased, other] = [yield* newEverything, yield* newEverything]
    const store = yield* ErasureStore
    const { id } = other.account
    assert.deepStrictEqual(yield* store.uploads({ account: id, limit: 10 }), [])
    assert.deepStrictEqual(yield* eraseAll(id, instant(900), 10), { steps: [], isOver: false })
    yield* begin(other.account)
    const uploads = (yield* store.uploads({ account: id, limit: 10 })).map((one) => ({ ...one, removals: [] }))
    assert.strictEqual(uploads.length, 4)
    yield* begin(erased.account)
    const step = yield* store.eraseStep({ account: erased.account.id, now: instant(1), uploads, limit: 10 })
    assert.deepStrictEqual(step, { erased: {}, isOver: false })
    assert.strictEqual((yield* store.uploads({ account: id, limit: 10 })).length, 4)
    assert.strictEqual((yield* store.uploads({ account: id, limit: 3 })).length, 3)
  })
}

export const erasureStoreSuite = suiteOf("ErasureStore", erasureStoreCases)
