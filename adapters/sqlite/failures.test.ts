import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Exit, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import { it } from "../../core/testing/layer.ts"
import { InsufficientStorage } from "../../core/model/Problem.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { makeAccount } from "../kit/parts/samples.ts"
import { layer as layerMetadata, layerClient, layerMigrations } from "./index.ts"
import { orUnavailable } from "./failures.ts"
import { newFile } from "./testing/newFile.ts"

/** Runs an effect on a new database, given its path. */
const onNewFile = <A, E>(run: (file: string) => Effect.Effect<A, E, AccountStore | SqlClient.SqlClient>) =>
  Effect.scoped(
    Effect.flatMap(newFile, (file) =>
      Effect.provide(
        run(file),
        layerMetadata.pipe(Layer.provide(layerMigrations), Layer.provideMerge(Layer.fresh(layerClient({ file }))))
      )
    )
  )

/** A text long enough that a few of them fill several pages. */
const long = (name: string) => makeAccount({ name: name.padEnd(1000, "·") })

describe("a database whose disk is full", () => {
  it.effect("answers InsufficientStorage, stores nothing of what was refused, and works again when there is room", () =>
    onNewFile(() =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* AccountStore
        const [pages] = yield* sql<{ readonly page_count: number }>`PRAGMA page_count`
        yield* sql.unsafe(`PRAGMA max_page_count = ${(pages?.page_count ?? 0) + 3}`)
        const stored: Array<string> = []
        const refused = yield* Effect.flip(
          Effect.forever(
            Effect.suspend(() => {
              const account = long(String(stored.length))
              return Effect.map(store.insert(account), () => stored.push(account.name))
            })
          )
        )
        assert.strictEqual(refused, InsufficientStorage.ofMetadata)
        assert.isAbove(stored.length, 0)
        assert.deepStrictEqual((yield* store.list).map(({ name }) => name).toSorted(), stored.toSorted())
        yield* sql.unsafe("PRAGMA max_page_count = 1000000")
        const after = long("after")
        yield* store.insert(after)
        assert.isTrue(Option.isSome(yield* store.findByName(after.name)))
      })
    )
  )
})

describe("a database that another program writes to", () => {
  it.live("is waited for", () =>
    onNewFile(
      Effect.fnUntraced(function* (file) {
        const store = yield* AccountStore
        const other = new DatabaseSync(file)
        other.exec("BEGIN IMMEDIATE")
        const inserting = yield* Effect.forkChild(store.insert(makeAccount({ name: "waited" })))
        // Reads work meanwhile.
        assert.deepStrictEqual(yield* store.list, [])
        other.exec("ROLLBACK")
        other.close()
        yield* Fiber.join(inserting)
        assert.deepStrictEqual(
          (yield* store.list).map(({ name }) => name),
          ["waited"]
        )
      })
    )
  )
})

describe("a failure of a statement", () => {
  it.effect("on a database without tables is a defect that keeps its cause", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit((yield* AccountStore).list)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }).pipe(
      Effect.provide(
        layerMetadata.pipe(Layer.provide(Layer.unwrap(Effect.map(newFile, (file) => layerClient({ file })))))
      )
    )
  )

  it.effect("doesn't change the port's own errors", function* () {
    assert.strictEqual(yield* Effect.flip(orUnavailable(Effect.fail("meant" as const))), "meant")
  })
})
