/**
 * The client of a database file, over `node:sqlite`. That is synchronous, so each statement must be short because it
 * blocks the whole process.
 */
import { Context, Effect, Layer, Semaphore, Stream } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient, SqlError, Statement, type SqlConnection } from "effect/sql"
import { resolve } from "node:path"
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite"
import { isEngineError } from "./errorCodes.ts"
import { makeGroups } from "./groups.ts"
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
  return (text: string, params: ReadonlyArray<unknown> = []) =>
    Effect.try({ try: () => prepared(text).all(...params.map(bound)), catch: sqlError })
}

type Execute = ReturnType<typeof connectionTo>

/** A connection that runs each statement so. */
const connectionBy = (execute: Execute): SqlConnection.Connection => {
  const values = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.map(execute(text, params), (rows) => rows.map((row) => Object.values(row)))
  return {
    execute,
    executeRaw: execute,
    executeUnprepared: execute,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (text, params) => Stream.fromIterableEffect(execute(text, params))
  }
}

const driver = {
  driver: "sqlite-node",
  compiler: Statement.makeCompilerSqlite(),
  prepareTransactionControls: true,
  spanAttributes: [["db.system.name", "sqlite"]]
} as const

/** A client of one connection, whose statements and transactions take turns. */
const readerOn = (db: DatabaseSync) =>
  SqlClient.make({
    ...driver,
    ...SqlClient.makeSqliteAcquirers({
      connection: Effect.succeed(connectionBy(connectionTo(db))),
      semaphore: Semaphore.makeUnsafe(1),
      isTransaction: () => db.isTransaction
    })
  })

/** The transaction that is under way, in which another one is a savepoint. */
const UnderWay = Context.Reference<
  { readonly writer: DatabaseSync; readonly within: SqlClient.SqlClient["withTransaction"] } | undefined
>("slipway/adapters/sqlite/UnderWay", { defaultValue: () => undefined })

/** Statements that only read, as this adapter writes them; on the connection that can't write, any other would fail. */
const isRead = (text: string): boolean => /^\s*(?:SELECT|WITH|EXPLAIN)\b/.test(text)

/** What is said of the connection itself, which no transaction may be open for. */
const isPragma = (text: string): boolean => /^\s*PRAGMA\b/.test(text)

/**
 * A client of two connections: one that reads, and sees what is committed; and one that writes, whose statements and
 * transactions take turns, and are committed in groups (`groups.ts`).
 */
const clientOn = Effect.fnUntraced(function* (reader: DatabaseSync, writer: DatabaseSync) {
  const read = connectionTo(reader)
  const write = connectionTo(writer)
  const groups = yield* makeGroups(writer, write)
  const shared = connectionBy((text, params) => {
    if (isRead(text)) return read(text, params)
    return isPragma(text) ? groups.between(write(text, params)) : groups.alone(write(text, params))
  })
  const client = yield* SqlClient.make({ ...driver, acquirer: Effect.succeed(shared) })
  const turn = connectionBy((text, params) => groups.watched(write(text, params)))
  const begin: SqlClient.SqlClient["withTransaction"] = (effect) =>
    groups.joined((join) => {
      const within = SqlClient.makeWithTransaction({
        transactionService: client.transactionService,
        spanAttributes: driver.spanAttributes,
        acquireConnection: (restore) => Effect.as(join(restore), turn),
        begin: () => write("SAVEPOINT joined"),
        commit: () => write("RELEASE joined"),
        rollback: () => groups.undo("joined"),
        savepoint: (_, id) => write(`SAVEPOINT inner_${id}`),
        releaseSavepoint: (_, id) => write(`RELEASE inner_${id}`),
        rollbackSavepoint: (_, id) => write(`ROLLBACK TO inner_${id}`)
      })
      return within(Effect.provideService(effect, UnderWay, { writer, within }))
    })
  const withTransaction: SqlClient.SqlClient["withTransaction"] = (effect) =>
    UnderWay.use((underWay) => (underWay?.writer === writer ? underWay.within(effect) : begin(effect)))
  return Object.assign(client, { withTransaction })
})

/** A client that reads a database file while others write to it. `DatabaseFileUnusable` when it can't be opened. */
export const layerReader = (options: { readonly file: string }) =>
  Layer.effect(SqlClient.SqlClient, Effect.flatMap(openToRead(resolve(options.file)), readerOn)).pipe(
    Layer.provide(Reactivity.layer)
  )

/**
 * A client of a database file, which is made if it is missing and locked until the layer is closed. A commit is on the
 * disk when it is answered. `DatabaseInUse` when another client has locked the file, `DatabaseFileUnusable` when it can't
 * be opened.
 */
export const layerClient = (options: { readonly file: string }) =>
  Layer.effect(
    SqlClient.SqlClient,
    Effect.gen(function* () {
      const file = resolve(options.file)
      yield* makeFile(file)
      yield* lock(file)
      const writer = yield* openDatabase(file)
      return yield* clientOn(yield* openToRead(file), writer)
    })
  ).pipe(Layer.provide(Reactivity.layer))
