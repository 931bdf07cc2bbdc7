/**
 * The client of a database file, over `node:sqlite`. That is synchronous, so each statement must be short because it
 * blocks the whole process.
 */
import { Effect, Layer, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError, Statement } from "effect/sql"
import type { SqlConnection } from "effect/sql"
import { resolve } from "node:path"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { isEngineError } from "./errorCodes.ts"
import { lock } from "./lock.ts"
import { makeFile, openDatabase, openToRead } from "./open.ts"

/** Converts a parameter for the database: a time to milliseconds, a list to JSON. */
const bound = (value: unknown): SQLInputValue => {
  if (value instanceof Date) return value.getTime()
  if (value instanceof Uint8Array || value === null) return value
  if (Array.isArray(value)) return JSON.stringify(value)
  if (typeof value === "boolean") return Number(value)
  if (typeof value === "string" || typeof value === "number" || typeof value === "bigint") return value
  throw new TypeError(`no column holds a value of the type ${typeof value}`)
}

const sqlError = (cause: unknown): SqlError.SqlError =>
  new SqlError.SqlError({
    reason: SqlError.classifySqliteError(isEngineError(cause) ? Object.assign(cause, { errno: cause.errcode }) : cause)
  })

const connectionTo = (db: DatabaseSync) => {
  const statements = new Map<string, StatementSync>()
  const prepared = (text: string): StatementSync => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const made = db.prepare(text)
    statements.set(text, made)
    return made
  }
  const all = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.try({ try: () => prepared(text).all(...params.map(bound)), catch: sqlError })
  const unprepared = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.try({ try: () => db.prepare(text).all(...params.map(bound)), catch: sqlError })
  const values = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.map(all(text, params), (rows) => rows.map((row) => Object.values(row)))
  return {
    execute: all,
    executeRaw: all,
    executeUnprepared: unprepared,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (text, params) => Stream.fromIterableEffect(all(text, params)),
    isTransaction: () => db.isTransaction
  } satisfies SqlConnection.Connection & { readonly isTransaction: () => boolean }
}

const clientOf = (db: DatabaseSync) => {
  const shared = SqlClient.makeSqliteAcquirers({
    connection: Effect.succeed(connectionTo(db)),
    semaphore: Semaphore.makeUnsafe(1),
    isTransaction: (connection) => connection.isTransaction()
  })
  return SqlClient.make({
    ...shared,
    driver: "sqlite-node",
    compiler: Statement.makeCompilerSqlite(),
    beginTransaction: "BEGIN IMMEDIATE",
    prepareTransactionControls: true,
    spanAttributes: [["db.system.name", "sqlite"]]
  })
}

/** A client that reads a database file while others write to it. `DatabaseFileUnusable` when it can't be opened. */
export const layerReader = (options: { readonly file: string }) =>
  Layer.effect(SqlClient.SqlClient, Effect.flatMap(openToRead(resolve(options.file)), clientOf)).pipe(
    Layer.provide(Reactivity.layer)
  )

/**
 * A client of a database file, which is made if it is missing and locked until the layer is closed. A commit is on the
 * disk when it is answered.
 *
 * It has one connection, so its statements and transactions run one after the other. `DatabaseInUse` when another
 * client has locked the file, `DatabaseFileUnusable` when it can't be opened.
 */
export const layerClient = (options: { readonly file: string }) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const file = resolve(options.file)
      yield* makeFile(file)
      yield* lock(file)
      return yield* clientOf(yield* openDatabase(file))
    })
  ).pipe(Layer.provide(Reactivity.layer))
