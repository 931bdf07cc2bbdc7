/** A copy of a database holds everything as it was at one moment. */
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Redacted, Schema, Stream } from "effect"
import { it } from "../../core/testing/layer.ts"
import { MetadataRecord, recordModels } from "../../core/model/MetadataRecord.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { MetadataSource, MetadataTarget } from "../../core/ports/MetadataSnapshot.ts"
import { OverviewStore } from "../../core/ports/OverviewStore.ts"
import type { MetadataPorts } from "../../core/ports/registry.ts"
import * as memory from "../memory/index.ts"
import * as postgres from "../postgres/index.ts"
import { newDatabase } from "../postgres/testing/server.ts"
import { layerBoth } from "../sqlite/testing/newFile.ts"
import { callsOn, makeOneOfEach } from "./testing/calls.ts"

/** A new database at this version's schema: its ports, and both sides of a copy. */
type Both = MetadataPorts | MetadataSource | MetadataTarget
const engines: Readonly<Record<"SQLite" | "PostgreSQL" | "a key-value store", Layer.Layer<Both, unknown>>> = {
  SQLite: layerBoth,
  "a key-value store": memory.layerMetadata,
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

const encode = Schema.encodeSync(Schema.Array(MetadataRecord), { disableChecks: true })
/** Within a kind, each engine has its own order. */
const linesOf = (records: ReadonlyArray<MetadataRecord>) =>
  encode(records)
    .map((record) => JSON.stringify(record))
    .toSorted()

/** Records of every kind, in every state that the calls can produce. */
const stored = Effect.gen(function* () {
  const calls = yield* callsOn(yield* makeOneOfEach)
  for (const [name, call] of Object.entries<Effect.Effect<unknown, unknown>>(calls)) {
    if (!/remove|unlink|untrust/.test(name)) yield* call
  }
})

const fill = (records: ReadonlyArray<MetadataRecord>) =>
  MetadataTarget.use((target) => target.fill(Stream.fromIterable(records)))

// A target sees records alone, so each engine is read once and filled once.
describe.each([
  ["SQLite", "PostgreSQL"],
  ["PostgreSQL", "a key-value store"],
  ["a key-value store", "SQLite"]
] as const)("from %s to %s", (from, to) => {
  it.live("every record is copied, and the ports answer the same from the copy", function* () {
    const read = yield* Effect.andThen(stored, everything).pipe(Effect.provide(Layer.fresh(engines[from])))
    assert.deepStrictEqual([...new Set(read.map(({ kind }) => kind))], Object.keys(recordModels))
    yield* Effect.gen(function* () {
      yield* fill(read)
      assert.deepStrictEqual(linesOf(yield* everything), linesOf(read))
      const overview = yield* OverviewStore
      const branches = yield* Effect.forEach(yield* (yield* AccountStore).list, (account) =>
        overview.branches({ account: account.id, limit: 9 })
      )
      assert.isAbove(branches.flat().length, 0)
    }).pipe(Effect.provide(Layer.fresh(engines[to])))
  })
})
