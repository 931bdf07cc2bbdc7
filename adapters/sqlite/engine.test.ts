import { assert, describe } from "@effect/vitest"
import { Effect, Exit, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { it } from "../../core/testing/layer.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { makeAccount } from "../kit/parts/samples.ts"
import { layer as layerMetadata } from "./index.ts"
import { layerFile } from "./testing/newFile.ts"

const insert = (name: string) => AccountStore.use((store) => store.insert(makeAccount({ name })))

const names = AccountStore.use((store) => Effect.map(store.list, (all) => all.map(({ name }) => name)))

/** Runs these at once, so that they are committed together, and answers how each ended. */
const concurrently = <A, E, R>(all: ReadonlyArray<Effect.Effect<A, E, R>>) =>
  Effect.forEach(all, Effect.exit, { concurrency: "unbounded" })

const onNewFile = <A, E>(effect: Effect.Effect<A, E, AccountStore | SqlClient.SqlClient>) =>
  Effect.provide(effect, Layer.fresh(layerMetadata.pipe(Layer.provideMerge(layerFile))))

describe("writes that are committed together", () => {
  it.effect("are answered when the commit is made, and one that fails undoes itself alone", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const failing = sql.withTransaction(Effect.andThen(Effect.orDie(insert("undone")), Effect.fail("given up")))
      const ended = yield* concurrently<void, unknown, AccountStore>([insert("first"), failing, insert("second")])
      assert.deepStrictEqual(ended.map(Exit.isSuccess), [true, false, true])
      assert.deepStrictEqual(yield* names, ["first", "second"])
    }).pipe(onNewFile)
  )

  it.effect("all fail with their commit, nothing of them is there, and the next ones are made", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      // Refused when it is committed, and not before.
      const orphan = sql.withTransaction(
        Effect.andThen(
          sql`PRAGMA defer_foreign_keys = ON`,
          sql`INSERT INTO sessions VALUES ('s', 'no such key', 'hash', 1, 2, NULL, NULL)`
        )
      )
      const ended = yield* concurrently<unknown, unknown, AccountStore>([insert("first"), orphan, insert("second")])
      assert.deepStrictEqual(ended.map(Exit.isSuccess), [false, false, false])
      assert.deepStrictEqual(yield* names, [])
      yield* insert("third")
      assert.deepStrictEqual(yield* names, ["third"])
    }).pipe(onNewFile)
  )

  it.effect("are few, so that the event loop turns however many come at once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      let [writes, peak] = [0, 0]
      let next = setImmediate(function again() {
        writes = 0
        next = setImmediate(again)
      })
      const counted = (name: string) =>
        sql.withTransaction(
          Effect.andThen(
            insert(name),
            Effect.sync(() => {
              peak = Math.max(peak, (writes += 1))
            })
          )
        )
      const ended = yield* concurrently(Array.from({ length: 64 }, (_, index) => counted(`account-${index}`)))
      clearImmediate(next)
      assert.isTrue(ended.every(Exit.isSuccess))
      assert.isAtMost(peak, 8)
      assert.strictEqual((yield* names).length, 64)
    }).pipe(onNewFile)
  )

  it.effect("are seen by nobody before they are committed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const asAnother = Effect.runPromiseWith(yield* Effect.context<AccountStore>())
      yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* insert("mine")
          assert.deepStrictEqual(yield* names, ["mine"])
          assert.deepStrictEqual(yield* Effect.promise(() => asAnother(names)), [])
        })
      )
      assert.deepStrictEqual(yield* names, ["mine"])
    }).pipe(onNewFile)
  )
})
