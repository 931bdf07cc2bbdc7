/** A copy of a database holds everything as it was at one moment. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import { MetadataRecord, recordModels } from "../../core/model/MetadataRecord.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import type { MetadataPorts } from "../kit/parts/MetadataPorts.ts"
import { makeAccount } from "../kit/parts/samples.ts"
import * as postgres from "../postgres/index.ts"
import { newDatabase } from "../postgres/testing/server.ts"
import * as sqlite from "../sqlite/index.ts"
import { newFile } from "../sqlite/testing/newFile.ts"
import { callsOn, makeOneOfEach } from "./testing/calls.ts"

/** A new database at this version's schema: its ports, and both sides of a copy. */
type Both = MetadataPorts | MetadataSource | MetadataTarget
const engines: Readonly<Record<"SQLite" | "PostgreSQL", Layer.Layer<Both, unknown>>> = {
  SQLite: Layer.unwrap(
    Effect.map(newFile, (file) =>
      Layer.mergeAll(sqlite.layer, sqlite.layerTarget, sqlite.layerSource({ file })).pipe(
        Layer.provide(sqlite.layerMigrations),
        Layer.provide(sqlite.layerClient({ file }))
      )
    )
  ),
  PostgreSQL: Layer.unwrap(
    Effect.map(newDatabase, (url) =>
      Layer.mergeAll(postgres.layer, postgres.layerTarget, postgres.layerSource).pipe(
        Layer.provide(postgres.layerMigrations),
        Layer.provide(postgres.layerClient({ url: Redacted.make(url) }))
      )
    )
  )
}

const everything = MetadataSource.use((source) => source.snapshot(Stream.runCollect))

const asJson = Schema.encodeSync(Schema.Array(MetadataRecord), { disableChecks: true })

/** Records of every kind, in every state that the calls can produce. */
const stored = Effect.gen(function* () {
  const calls = yield* callsOn(yield* makeOneOfEach)
  for (const [name, call] of Object.entries<Effect.Effect<unknown, unknown>>(calls)) {
    if (!/remove|unlink/.test(name)) yield* call
  }
})

const fill = (records: ReadonlyArray<MetadataRecord>) =>
  MetadataTarget.use((target) => target.fill(Stream.fromIterable(records)))

describe.each([
  ["SQLite", "SQLite"],
  ["SQLite", "PostgreSQL"],
  ["PostgreSQL", "SQLite"],
  ["PostgreSQL", "PostgreSQL"]
] as const)("from %s to %s", (from, to) => {
  it.live("every record is copied, and the ports answer the same from the copy", () =>
    Effect.gen(function* () {
      const read = yield* Effect.andThen(stored, everything).pipe(Effect.provide(Layer.fresh(engines[from])))
      assert.deepStrictEqual([...new Set(read.map(({ kind }) => kind))], Object.keys(recordModels))
      yield* Effect.gen(function* () {
        yield* fill(read)
        assert.deepStrictEqual(asJson(yield* everything), asJson(read))
        const overview = yield* OverviewStore
        const branches = yield* Effect.forEach(yield* (yield* AccountStore).list, (account) =>
          overview.branches({ account: account.id, limit: 9 })
        )
        assert.isAbove(branches.flat().length, 0)
      }).pipe(Effect.provide(Layer.fresh(engines[to])))
    })
  )
})

describe.each(["SQLite", "PostgreSQL"] as const)("a target on %s", (engine) => {
  const onNew = <A, E>(effect: Effect.Effect<A, E, MetadataTarget | MetadataSource | AccountStore>) =>
    Effect.provide(effect, Layer.fresh(engines[engine]))
  const accounts = Array.from({ length: 450 }, () => ({ kind: "account", value: makeAccount() }) as const)

  it.live("a database that isn't empty takes no copy", () =>
    Effect.gen(function* () {
      yield* AccountStore.use((store) => store.insert(makeAccount({ name: "here before" })))
      assert.strictEqual((yield* Effect.flip(MetadataTarget.use((one) => one.assertEmpty)))._tag, "NotEmpty")
      assert.strictEqual((yield* Effect.flip(fill(accounts)))._tag, "NotEmpty")
      assert.strictEqual((yield* everything).length, 1)
    }).pipe(onNew)
  )

  it.live("a copy that is cut short leaves nothing", () =>
    Effect.gen(function* () {
      const cut = Stream.concat(Stream.fromIterable(accounts), Stream.fail(Unavailable.answer))
      yield* Effect.flip(MetadataTarget.use((one) => one.fill(cut)))
      assert.deepStrictEqual(yield* everything, [])
      yield* fill(accounts)
      assert.strictEqual((yield* everything).length, accounts.length)
    }).pipe(onNew)
  )

  it.live("every read of a snapshot shows the same moment while others write", () =>
    Effect.gen(function* () {
      yield* fill(accounts)
      const source = yield* MetadataSource
      const asAnother = Effect.runPromiseWith(yield* Effect.context<AccountStore>())
      yield* source.snapshot((records) =>
        Effect.gen(function* () {
          yield* Effect.promise(() => asAnother(AccountStore.use((store) => store.insert(makeAccount()))))
          for (let time = 0; time < 2; time++) assert.strictEqual((yield* Stream.runCollect(records)).length, 450)
        })
      )
      assert.strictEqual((yield* everything).length, 451)
    }).pipe(onNew)
  )
})
