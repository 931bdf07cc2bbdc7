import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Schema, Stream } from "effect"
import { MetadataRecord, portableKinds, recordModels } from "../../core/model/MetadataRecord.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { everyKind, manyAccounts, recordsOf } from "./parts/records.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import { answersOf } from "./parts/answers.ts"
import { instant, makeAccount, makePreview } from "./parts/samples.ts"
import { suite, type Adapter, type Cases } from "./parts/suite.ts"
import { newAccount } from "./parts/stored.ts"

/** What is backed up and restored, and the ports that answer from it. */
export type SnapshotPorts = MetadataPorts | MetadataSource | MetadataTarget

const plain = Schema.encodeSync(Schema.Array(MetadataRecord), { disableChecks: true })

const everything = MetadataSource.use((source) => source.snapshot(Stream.runCollect))

const fill = <E>(records: Stream.Stream<MetadataRecord, E>) => MetadataTarget.use((target) => target.fill(records))

const insert = AccountStore.use((store) => store.insert(makeAccount()))

/** Asserts that nothing is stored, and that the store can be filled. */
const assertStillEmpty = Effect.gen(function* () {
  assert.deepStrictEqual(yield* everything, [])
  yield* (yield* MetadataTarget).assertEmpty
  yield* fill(Stream.fromIterable(manyAccounts))
  assert.strictEqual((yield* everything).length, manyAccounts.length)
})

const sourceCases = (it: Cases<SnapshotPorts>) => {
  it.effect("a new store gives no record", function* () {
    assert.deepStrictEqual(yield* everything, [])
  })

  it.effect("what a port stored is given as it was stored", function* () {
    const account = yield* newAccount
    assert.deepStrictEqual(plain(yield* everything), plain([{ kind: "account", value: account }]))
  })

  it.effect("thousands of records are given, each once", function* () {
    yield* fill(Stream.fromIterable(manyAccounts))
    const ids = (yield* everything).map(({ value }) => ("id" in value ? value.id : ""))
    assert.sameMembers(
      ids,
      manyAccounts.map(({ value }) => value.id)
    )
  })

  it.effect("a stream gives the same each time it is run, while others write", function* () {
    yield* fill(Stream.fromIterable(manyAccounts))
    const asAnother = Effect.runPromiseWith(yield* Effect.context<AccountStore>())
    yield* (yield* MetadataSource).snapshot((records) =>
      Effect.gen(function* () {
        yield* Effect.promise(() => asAnother(insert))
        const first = yield* Stream.runCollect(records)
        yield* Effect.promise(() => asAnother(insert))
        assert.deepStrictEqual(plain(yield* Stream.runCollect(records)), plain(first))
        assert.strictEqual(first.length, manyAccounts.length)
      })
    )
    assert.strictEqual((yield* everything).length, manyAccounts.length + 2)
  })

  it.effect("a stream may be left early, and a snapshot fail: the next one is whole", function* () {
    yield* fill(Stream.fromIterable(manyAccounts))
    const source = yield* MetadataSource
    const taken = yield* source.snapshot((records) => Stream.runCollect(Stream.take(records, 3)))
    assert.strictEqual(taken.length, 3)
    assert.strictEqual(yield* Effect.flip(source.snapshot(() => Effect.fail("given up"))), "given up")
    assert.strictEqual((yield* everything).length, manyAccounts.length)
    yield* insert
  })
}

const ofAccountCases = (it: Cases<SnapshotPorts>) => {
  it.effect("the records of one account are read alone, each once, and nothing of another", function* () {
    const [values, others] = [everyKind(), everyKind()]
    const another = { ...others, account: others.account.slice(0, 1) }
    const all = [...recordsOf(values), ...recordsOf(another)].map((record, index) => ({ index, record }))
    const kinds = Object.keys(recordModels)
    const inOrder = all.toSorted(
      (a, b) => kinds.indexOf(a.record.kind) - kinds.indexOf(b.record.kind) || a.index - b.index
    )
    yield* fill(Stream.fromIterable(inOrder.map(({ record }) => record)))
    const [account] = values.account
    if (account === undefined) return assert.fail("there is an account among the records")
    const source = yield* MetadataSource
    const given = yield* source.snapshotOf(account.id, Stream.runCollect)
    const portable = new Set<string>(portableKinds)
    const own = recordsOf(values).filter(
      ({ kind, value }) =>
        portable.has(kind) && ("accountId" in value ? value.accountId === account.id : value === account)
    )
    const lines = (records: ReadonlyArray<MetadataRecord>) => plain(records).map((one) => JSON.stringify(one))
    assert.sameMembers(lines(given), lines(own))
    assert.deepStrictEqual([...new Set(given.map(({ kind }) => kind))], [...portableKinds])
    assert.deepStrictEqual(yield* source.snapshotOf(makeAccount().id, Stream.runCollect), [])
  })

  it.effect("thousands of records of one account are given, each once", function* () {
    const [first] = manyAccounts
    if (first === undefined) return assert.fail("there are accounts")
    const account = first.value
    const runs = Array.from({ length: 1000 }, () => ({
      kind: "billedTestRun" as const,
      value: { previewId: makePreview(account).id, accountId: account.id, billedAt: instant(9) }
    }))
    yield* fill(Stream.fromIterable([...manyAccounts, ...runs]))
    const given = yield* (yield* MetadataSource).snapshotOf(account.id, Stream.runCollect)
    const ids = given.map(({ value }) => ("previewId" in value ? value.previewId : ""))
    assert.sameMembers(ids, ["", ...runs.map(({ value }) => value.previewId)])
  })
}

const targetCases = (it: Cases<SnapshotPorts>) => {
  it.effect(
    "records of every kind are stored field by field, and are given in the order of `recordModels`",
    function* () {
      const records = recordsOf(everyKind())
      yield* fill(Stream.fromIterable(records))
      const given = yield* everything
      assert.deepStrictEqual([...new Set(given.map(({ kind }) => kind))], Object.keys(recordModels))
      // Within a kind the order is the store's.
      const lines = (all: ReadonlyArray<MetadataRecord>) => plain(all).map((one) => JSON.stringify(one))
      assert.sameMembers(lines(given), lines(records))
    }
  )

  it.effect("every port answers from what was stored", function* () {
    const values = everyKind()
    yield* fill(Stream.fromIterable(recordsOf(values)))
    yield* answersOf(values)
  })

  it.effect("a store that holds one record imports nothing, and keeps it", function* () {
    yield* insert
    const target = yield* MetadataTarget
    assert.strictEqual((yield* Effect.flip(target.assertEmpty))._tag, "NotEmpty")
    assert.strictEqual((yield* Effect.flip(fill(Stream.fromIterable(manyAccounts))))._tag, "NotEmpty")
    assert.strictEqual((yield* everything).length, 1)
  })

  it.effect("nothing is stored when the stream fails, and it can be filled afterwards", function* () {
    const cut = Stream.concat(Stream.fromIterable(manyAccounts), Stream.fail(Unavailable.answer))
    assert.strictEqual(yield* Effect.flip(fill(cut)), Unavailable.answer)
    yield* assertStillEmpty
  })

  it.effect("nothing is stored when it is interrupted, and it can be filled afterwards", function* () {
    const reached = yield* Deferred.make<void>()
    const endless = Stream.concat(
      Stream.fromIterable(manyAccounts),
      Stream.fromEffectDrain(Effect.andThen(Deferred.succeed(reached, undefined), Effect.never))
    )
    const filling = yield* Effect.forkChild(fill(endless))
    yield* Deferred.await(reached)
    yield* Fiber.interrupt(filling)
    yield* assertStillEmpty
  })

  it.effect("nothing is stored when a record of any kind occurs twice", function* () {
    const records = recordsOf(everyKind())
    for (const kind of Object.keys(recordModels)) {
      const first = records.find((record) => record.kind === kind)
      const twice = records.flatMap((record) => (record === first ? [record, record] : [record]))
      assert.isTrue(Exit.isFailure(yield* Effect.exit(fill(Stream.fromIterable(twice)))), kind)
    }
    yield* assertStillEmpty
  })
}

/** Declares the suite of the two ports by which a deployment is backed up, restored and copied, on one store. */
export const metadataSnapshotSuite = <S = never>(name: string, adapter: Adapter<SnapshotPorts, S>): void =>
  suite(`snapshots on ${name}`, adapter, (it) => {
    describe("MetadataSource", () => sourceCases(it))
    describe("MetadataSource of one account", () => ofAccountCases(it))
    describe("MetadataTarget", () => targetCases(it))
  })
