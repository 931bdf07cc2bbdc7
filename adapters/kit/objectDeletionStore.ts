import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ObjectDeletionId, type ObjectDeletion } from "../../core/model/HostedObject.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"
import { assertPages, idsOf, plainObjectDeletion } from "./parts/plain.ts"
import { many } from "./parts/commits.ts"
import { idAt, instant, makeObjectDeletion } from "./parts/samples.ts"
import type { Cases } from "./parts/suite.ts"
import { newAccount, newPreview } from "./parts/stored.ts"

/** What the cases need beside a `ObjectDeletionStore`: removals are stored when something is deleted. */
type ObjectDeletionPorts = AccountStore | PreviewStore | ObjectDeletionStore

/** Stores removals, by deleting a preview with each. */
const stored = Effect.fnUntraced(function* (...fields: ReadonlyArray<Partial<ObjectDeletion>>) {
  const account = yield* newAccount
  const previews = yield* PreviewStore
  return yield* Effect.forEach(fields, (one) =>
    Effect.gen(function* () {
      const [preview, removal] = [yield* newPreview(account), makeObjectDeletion(account, one)]
      yield* previews.commitDelete({ preview, removals: [removal] })
      return removal
    })
  )
})

const at = (millis: number) => ({ id: ObjectDeletionId.make(idAt(millis)), dueAt: instant(millis) })

const plain = (removals: ReadonlyArray<ObjectDeletion>) => removals.map(plainObjectDeletion)

const take = (now: number, limit = 100, until = 1_000_000) =>
  ObjectDeletionStore.use((store) => store.claim({ now: instant(now), until: instant(until), limit }))

export const objectDeletionStoreCases = (it: Cases<ObjectDeletionPorts>) => {
  it.effect("every field of a removal comes back unchanged", function* () {
    const removals = yield* stored({
      prefix: "uploads/0/",
      since: instant(1),
      settledAt: instant(2),
      dueAt: instant(3)
    })
    assert.deepStrictEqual(plain(yield* (yield* ObjectDeletionStore).list({ limit: 10 })), plain(removals))
  })

  it.effect(
    "removals are claimed from the instant at which they are due, those first that were due first",
    function* () {
      const [third, first, second] = yield* stored(at(30), { ...at(40), dueAt: instant(10) }, at(20))
      if (first === undefined || second === undefined || third === undefined) return assert.fail("three were stored")
      const dueAt = instant(50)
      const taken = (...removals: ReadonlyArray<ObjectDeletion>) => plain(removals.map((one) => ({ ...one, dueAt })))
      assert.deepStrictEqual(yield* take(9, 10, 50), [])
      assert.deepStrictEqual(plain(yield* take(30, 1, 50)), taken(first))
      assert.deepStrictEqual(plain(yield* take(29, 10, 50)), taken(second))
      assert.deepStrictEqual(plain(yield* take(30, 10, 50)), taken(third))
      assert.deepStrictEqual(yield* take(49, 10, 60), [])
      assert.deepStrictEqual(idsOf(yield* take(50, 10, 60)), [second.id, third.id, first.id])
    }
  )

  it.effect("many claims at once get every removal, and no two get the same one", function* () {
    const removals = yield* stored(...many.map((index) => at(index)))
    const taken = yield* Effect.forEach(many, () => take(100, 3), { concurrency: "unbounded" })
    const rest = yield* take(100)
    assert.sameMembers([...idsOf([...taken.flat(), ...rest])], [...idsOf(removals)])
    assert.deepStrictEqual(yield* take(100), [])
  })

  it.effect("a removal is postponed or completed, and no other is; an unknown one is no error", function* () {
    const store = yield* ObjectDeletionStore
    const [first, second, third] = yield* stored(at(1), at(2), at(3))
    if (first === undefined || second === undefined || third === undefined) return assert.fail("three were stored")
    const unknown = ObjectDeletionId.make(idAt(4))
    yield* store.postpone([second.id, unknown], instant(90))
    yield* store.complete([first.id, unknown])
    yield* store.postpone([], instant(90))
    yield* store.complete([])
    assert.deepStrictEqual(plain(yield* store.list({ limit: 10 })), plain([{ ...second, dueAt: instant(90) }, third]))
    assert.deepStrictEqual(idsOf(yield* take(89)), [third.id])
    assert.deepStrictEqual(idsOf(yield* take(90)), [second.id])
  })

  it.effect("the list is in the order of the ids, after one, within the limit, whatever is due", function* () {
    const store = yield* ObjectDeletionStore
    const removals = yield* stored(at(30), at(10), { ...at(20), dueAt: instant(5) })
    yield* assertPages(idsOf(removals).toSorted(), (limit, after) => Effect.map(store.list({ limit, after }), idsOf))
  })
}
