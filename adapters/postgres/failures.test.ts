import { PgClient } from "@effect/sql-pg"
import { assert, describe } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Redacted } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { it, layer } from "../../core/testing/layer.ts"
import { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import { AccountStore, NameTaken } from "../../core/ports/AccountStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { makeAccount, makeRepository } from "../kit/parts/samples.ts"
import { layer as layerMetadata, layerClient } from "./index.ts"
import { orUnavailable, orWriteFailure, sqlState } from "./failures.ts"
import { newDatabase } from "./testing/server.ts"

/** A client of a port where nothing listens. It connects at the first statement. */
const layerNowhere = PgClient.layer({ host: "127.0.0.1", port: 1, username: "nobody", ssl: false })

describe("a database that can't be reached", () => {
  it.effect("makes a port fail with Unavailable, in a statement and in a transaction", () =>
    Effect.gen(function* () {
      const accounts = yield* AccountStore
      const repositories = yield* RepositoryStore
      const account = makeAccount()
      assert.strictEqual(yield* Effect.flip(accounts.list), Unavailable.default)
      assert.strictEqual(yield* Effect.flip(accounts.insert(account)), Unavailable.default)
      assert.strictEqual(yield* Effect.flip(repositories.link(makeRepository(account))), Unavailable.default)
    }).pipe(Effect.provide(layerMetadata.pipe(Layer.provide(layerNowhere))))
  )
})

/** A database without tables. */
const layerNew = Layer.unwrap(Effect.map(newDatabase, (url) => layerClient({ url: Redacted.make(url) })))

/** A statement that a server refuses with this code. */
const refused = (code: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`DO $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '${code}'; END $$`)
  )

const refusedWith = (code: string) => Effect.exit(orUnavailable(refused(code)))

layer(layerNew)("a statement that the server refuses", (it) => {
  for (const [code, why] of [
    ["08006", "the connection failed"],
    ["25006", "read-only, as after a failover"],
    ["25P03", "idle in a transaction for too long"],
    ["40003", "nobody knows whether it was completed"],
    ["42501", "a right that its operator has yet to grant"],
    ["53300", "too many connections"],
    ["55P03", "a lock was not to be had in time"],
    ["57014", "it took too long, or somebody cancelled it"],
    ["57P01", "an administrator shuts it down"],
    ["57P02", "it crashed"],
    ["57P03", "it is starting up"]
  ] as const) {
    it.effect(`with ${code}, ${why}, is Unavailable`, function* () {
      assert.deepStrictEqual(yield* refusedWith(code), Exit.fail(Unavailable.default))
    })
  }

  it.effect(
    "with 53100, its disk is full, is InsufficientStorage for a write and Unavailable for a read",
    function* () {
      assert.strictEqual(yield* Effect.flip(orWriteFailure(refused("53100"))), InsufficientStorage.ofMetadata)
      assert.strictEqual(yield* Effect.flip(orUnavailable(refused("53100"))), Unavailable.default)
    }
  )

  for (const [code, why] of [
    ["22P02", "a value of the wrong form"],
    ["23514", "a check"],
    ["42P01", "a table that is missing"],
    ["XX000", "a bug of its own"]
  ] as const) {
    it.effect(`with ${code}, ${why}, is a defect that keeps its cause`, function* () {
      const exit = yield* refusedWith(code)
      const defect = Exit.isFailure(exit) && Cause.hasDies(exit.cause) ? Cause.squash(exit.cause) : undefined
      assert.strictEqual(SqlError.isSqlError(defect) ? sqlState(defect) : undefined, code)
    })
  }
})

describe("a failure of a statement", () => {
  it.effect("on a database without tables is a defect", () =>
    Effect.gen(function* () {
      const exit = yield* Effect.exit((yield* AccountStore).list)
      assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
    }).pipe(Effect.provide(layerMetadata.pipe(Layer.provide(layerNew))))
  )

  it.effect("that was caused by concurrent transactions is retried and not reported", function* () {
    let runs = 0
    const statement = Effect.suspend(() => (++runs < 3 ? Effect.fail(contention) : Effect.succeed(runs)))
    assert.strictEqual(yield* orUnavailable(statement), 3)
  })

  it.effect("doesn't change the port's own errors", function* () {
    assert.instanceOf(yield* Effect.flip(orUnavailable(Effect.fail(new NameTaken()))), NameTaken)
  })
})

const contention = new SqlError.SqlError({ reason: new SqlError.SerializationError({ cause: new Error() }) })
