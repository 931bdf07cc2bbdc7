import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { once } from "node:events"
import { streams } from "./duplex.ts"
import { layer as layerPglite } from "./index.ts"
import { openInMemory } from "./open.ts"

/** A table of this case's own, for numbers that are unique in it. */
const newTable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const table = sql(`numbers_${crypto.randomUUID()}`)
  yield* sql`CREATE TABLE ${table} (number integer PRIMARY KEY)`
  return {
    insert: (number: number) => sql`INSERT INTO ${table} (number) VALUES (${number})`,
    count: Effect.map(sql`SELECT count(*)::integer AS count FROM ${table}`, ([row]) => row?.["count"])
  }
})

layer(layerPglite())("a session on PGlite", (it) => {
  it.effect("is in step after a statement has failed", () =>
    Effect.gen(function* () {
      const { count, insert } = yield* newTable
      const sql = yield* SqlClient.SqlClient
      for (let number = 0; number < 5; number++) {
        yield* insert(number)
        assert.strictEqual((yield* Effect.flip(insert(number))).reason._tag, "UniqueViolation")
        assert.strictEqual((yield* Effect.flip(sql`SELECT FROM nowhere`)).reason._tag, "SqlSyntaxError")
        assert.strictEqual(yield* count, number + 1)
      }
    })
  )

  it.effect("is usable after a statement was interrupted", () =>
    Effect.gen(function* () {
      const { count } = yield* newTable
      const sql = yield* SqlClient.SqlClient
      for (let round = 0; round < 3; round++) {
        const long = yield* Effect.forkChild(sql`SELECT count(*) FROM generate_series(1, 300000)`)
        yield* Effect.yieldNow
        yield* Fiber.interrupt(long)
        assert.strictEqual(yield* count, 0)
      }
    })
  )

  it.effect("has done a statement whole or not at all when many are interrupted at once", () =>
    Effect.gen(function* () {
      const { count, insert } = yield* newTable
      const fibers = yield* Effect.forEach(
        Array.from({ length: 50 }, (_, index) => index),
        (index) => Effect.forkChild(insert(index))
      )
      yield* Effect.yieldNow
      yield* Fiber.interruptAll(fibers)
      yield* Effect.forEach([100, 101, 102], insert)
      assert.isAtLeast(Number(yield* count), 3)
    })
  )

  it.effect("undoes a transaction that was interrupted, and goes on", () =>
    Effect.gen(function* () {
      const { count, insert } = yield* newTable
      const sql = yield* SqlClient.SqlClient
      const open = yield* Effect.forkChild(sql.withTransaction(Effect.andThen(insert(1), Effect.never)))
      yield* Effect.yieldNow
      yield* Fiber.interrupt(open)
      assert.strictEqual(yield* count, 0)
      yield* sql.withTransaction(insert(1))
      assert.strictEqual(yield* count, 1)
    })
  )

  it.effect("keeps transactions that run side by side apart", () =>
    Effect.gen(function* () {
      const { count, insert } = yield* newTable
      const sql = yield* SqlClient.SqlClient
      const transfer = (index: number) =>
        sql.withTransaction(
          Effect.gen(function* () {
            yield* insert(index)
            yield* Effect.yieldNow
            yield* insert(index + 1000)
            if (index % 2 === 0) return yield* Effect.fail("undo" as const)
          })
        )
      yield* Effect.forEach(
        Array.from({ length: 20 }, (_, index) => index),
        (index) => Effect.result(transfer(index)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(yield* count, 20)
    })
  )
})

describe("the streams of a PGlite", () => {
  it.effect("are one session; the next, for a cancellation, is closed at once", () =>
    Effect.gen(function* () {
      const open = streams(yield* openInMemory)
      assert.isFalse(open().destroyed)
      yield* Effect.promise(() => once(open(), "close"))
    })
  )
})
