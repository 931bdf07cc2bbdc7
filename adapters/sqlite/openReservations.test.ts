import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { instant, makeAccount, makePreview } from "../kit/parts/samples.ts"
import type { Recorded } from "../sql/testing/recording.ts"
import { layer as layerMetadata } from "./index.ts"
import { layerFile } from "./testing/emptied.ts"

layer(layerMetadata.pipe(Layer.provideMerge(layerFile)))("open reservations", (it) => {
  it.effect(
    "that are small are read at once, and each other one in a turn of the event loop, because it may declare 1,100 objects",
    () =>
      Effect.gen(function* () {
        const account = makeAccount()
        yield* AccountStore.use((store) => store.insert(account))
        const all = [4096, 4097, 4097, 4097].map((metadataBytes) =>
          makePreview(account, { expiresAt: instant(9), metadataBytes })
        )
        yield* Effect.forEach(all, (preview) => PreviewStore.use((store) => store.commitReserve({ preview })))

        let turn = 0
        let next = setImmediate(function again() {
          turn += 1
          next = setImmediate(again)
        })
        const statements: Array<Recorded & { readonly turn: number }> = []
        const record: Statement.Transformer = (statement) =>
          Effect.sync(() => {
            const [sql, params] = statement.compile()
            statements.push({ sql, params, turn })
            return statement
          })
        const found = yield* ReservationStore.use((store) =>
          store.findOpen(account.id, { after: instant(0), until: instant(9), limit: 8 })
        ).pipe(Effect.provideService(Statement.CurrentTransformer, record))
        clearImmediate(next)
        assert.lengthOf(found, 4)

        const sql = yield* SqlClient.SqlClient
        const read = yield* Effect.forEach(statements, ({ params, sql: text, turn }) =>
          Effect.map(sql.unsafe(text, params), (rows) =>
            rows.filter((row) => "open.declaration" in row).map(() => turn)
          )
        )
        const turns = read.flat()
        assert.lengthOf(turns, 3)
        assert.lengthOf([...new Set(turns)], 3)
      })
  )
})
