/** SQLite: a database file and its client, the commits of groups, and the engine for the statements that all engines share. */
import {
  Cause,
  Context,
  DateTime,
  Deferred,
  Effect,
  Effectable,
  Exit,
  type Fiber,
  Layer,
  Option,
  Schema,
  type Scope,
  Semaphore,
  Stream,
  Tracer
} from "effect"
import { chmodSync, closeSync, openSync, rmSync, statSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite"
import { makeFolder } from "../makeFolder.ts"
import {
  DatabaseFileUnusable,
  DatabaseInUse,
  isEngineError,
  isOfKind,
  orUnavailable,
  orWriteFailure,
  unusable
} from "./failures.ts"
import { CloseOnReopen } from "../../core/ports/HostServices.ts"
import { Reactivity } from "effect/reactivity"
import { SqlClient, type SqlConnection, SqlError, Statement } from "effect/sql"
import { jsonColumn, nextTurn } from "../sql/values.ts"
import type { Once } from "../../core/ports/IdempotencyStore.ts"
import { inTransaction, orConflict, type Engine } from "../sql/Engine.ts"
import { makeRows, type ColumnTypes } from "../sql/rows.ts"
import { roomInTurn } from "../sql/usage.ts"
import { openPart } from "./migrations.ts"

/**
 * Each commit is forced to the disk. References are enforced. Temporary results stay in memory, so a full disk is
 * noticed only when something is stored.
 */
const pragmas = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY"

const open = (file: string): DatabaseSync => {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    const [mode] = db.prepare("PRAGMA journal_mode = WAL").all()
    if (mode?.["journal_mode"] !== "wal") throw new Error("it has no write-ahead log, which wants shared memory")
    db.exec(pragmas)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

const openedBy = (file: string, make: (file: string) => DatabaseSync) =>
  Effect.acquireRelease(Effect.try({ try: () => make(file), catch: (cause) => unusable(file, cause) }), (db) =>
    Effect.sync(() => db.close())
  )

/**
 * Makes the folder and the file, if they are missing, with rights for their owner only. SQLite gives its log the same
 * rights.
 */
const makeFile = (file: string) =>
  Effect.try({
    try: () => {
      makeFolder(dirname(file))
      closeSync(openSync(file, "a", 0o600))
    },
    catch: (cause) => unusable(file, cause)
  })

/** Opens a database file for its one writer until the scope closes. */
const openDatabase = (file: string) => openedBy(file, open)

/** Opens a database file for a reader until the scope closes. */
const openToRead = (file: string) => openedBy(file, (file) => new DatabaseSync(file, { readOnly: true }))

/** Makes a lock file that only its owner can open. One that is there is not opened, since closing it would end a lock. */
const makeLockFile = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) closeSync(openSync(path, "a", 0o600))
  else if (found.uid === process.getuid?.()) chmodSync(path, 0o600)
}

const acquireLock = (path: string, timeoutMs: number): DatabaseSync => {
  makeLockFile(path)
  const file = new DatabaseSync(path, { timeout: timeoutMs })
  try {
    file.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    return file
  } catch (cause) {
    file.close()
    throw cause
  }
}

/**
 * Whether files can be locked there. It is tried on a file that others hold for a moment at most, for the same trial. A
 * trial that fails for another reason, such as a full disk, tells nothing against locks.
 */
const locksAreKept = (path: string): boolean => {
  const tried = `${path}.tried`
  try {
    acquireLock(tried, 200).close()
    return true
  } catch (cause) {
    return !isOfKind("busy")(cause)
  } finally {
    rmSync(tried, { force: true })
  }
}

const refusal = (database: string, path: string, cause: unknown): DatabaseInUse | DatabaseFileUnusable => {
  if (!isOfKind("busy")(cause)) return unusable(database, cause)
  if (locksAreKept(path)) return new DatabaseInUse({ file: database })
  return new DatabaseFileUnusable({
    file: database,
    detail: "its file system keeps no locks, so two hosts could write to it at once",
    hint: "put it on a local disk"
  })
}

const holdersKey = Symbol.for("slipway/adapters/sqlite/holders")

/** The hosts of this process that would hand over their locks. A hot reload may load this module again, so they are global. */
const holders = (): Map<string, (reason: string) => Promise<void>> => {
  const known: unknown = Reflect.get(globalThis, holdersKey)
  if (known instanceof Map) return known
  const made = new Map<string, (reason: string) => Promise<void>>()
  Reflect.set(globalThis, holdersKey, made)
  return made
}

/**
 * Locks a database file until the scope closes or the process ends. A concurrent attempt fails with `DatabaseInUse`, even in this
 * process, unless both are hosts that hand over: then the first one is closed.
 *
 * The lock is the operating system's, on the file `<database>.lock`. SQLite acquires it, so the folder must be on a local
 * disk. The database itself can still be opened for reading, such as for a backup. Nothing else may open the
 * lock file, because closing it anywhere in this process would end the lock.
 */
export const lock = (database: string): Effect.Effect<void, DatabaseInUse | DatabaseFileUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const path = `${database}.lock`
    const close = yield* CloseOnReopen
    const holder = close && holders().get(path)
    if (holder !== undefined) {
      yield* Effect.promise(() =>
        holder(
          `This Slipway is closed, because another one in this process opened ${database}. Keep one for each folder.`
        )
      )
    }
    yield* Effect.acquireRelease(
      Effect.try({ try: () => acquireLock(path, 0), catch: (cause) => refusal(database, path, cause) }),
      (file) => Effect.sync(() => file.close())
    )
    if (close === undefined) return
    yield* Effect.acquireRelease(
      Effect.sync(() => holders().set(path, close)),
      () => Effect.sync(() => holders().delete(path))
    )
  })

// The client of a database file, over `node:sqlite`. That is synchronous, so each statement must be short because it
// blocks the whole process.

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

const connectionTo = (db: DatabaseSync): Run => {
  const statements = new Map<string, StatementSync>()
  const prepared = (text: string): StatementSync => {
    const known = statements.get(text)
    if (known !== undefined) return known
    const made = db.prepare(text)
    statements.set(text, made)
    return made
  }
  return (text, params = []) => {
    try {
      return Exit.succeed(prepared(text).all(...params.map(bound)))
    } catch (cause) {
      return Exit.fail(sqlError(cause))
    }
  }
}

/** Runs a statement when the effect is run. */
type Execute = (text: string, params: ReadonlyArray<unknown>) => Effect.Effect<ReadonlyArray<object>, SqlError.SqlError>

/** A connection that runs each statement so. */
const connectionBy = (execute: Execute): SqlConnection.Connection => {
  const executed = (text: string, params: ReadonlyArray<unknown>) => Effect.suspend(() => execute(text, params))
  const values = (text: string, params: ReadonlyArray<unknown>) =>
    Effect.map(executed(text, params), (rows) => rows.map((row) => Object.values(row)))
  return {
    execute: executed,
    executeRaw: executed,
    executeUnprepared: executed,
    executeValues: values,
    executeValuesUnprepared: values,
    executeStream: (text, params) => Stream.fromIterableEffect(executed(text, params))
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

/** Statements that only read, as this adapter writes them; on the connection that can't write, any other would fail. */
const isRead = (text: string): boolean => /^\s*(?:SELECT|WITH|EXPLAIN)\b/.test(text)

/** What is said of the connection itself, which no transaction may be open for. */
const isPragma = (text: string): boolean => /^\s*PRAGMA\b/.test(text)

/** The text and the parameters of a statement. */
interface Written {
  text: string
  readonly params: Array<unknown>
}

const isTagged = (part: object): part is Statement.Segment => "_tag" in part

/** Writes the segments of a fragment, as the client compiles them; false if one of them needs the client. */
const writeSegments = (segments: ReadonlyArray<Statement.Segment>, into: Written): boolean =>
  segments.every((segment) => {
    switch (segment._tag) {
      case "Literal":
        into.text += segment.value
        into.params.push(...(segment.params ?? []))
        return true
      case "Parameter":
        into.text += "?"
        into.params.push(segment.value)
        return true
      case "ArrayHelper":
        into.text += `(${segment.value.map(() => "?").join(",")})`
        into.params.push(...segment.value)
        return segment.value.length > 0
      default:
        return false
    }
  })

type Statements = Statement.Statement<object>

/** A statement as it is written. What else the client can do with it is done by the client's own statement, `spanned`. */
interface Lean extends Statements {
  readonly strings: TemplateStringsArray
  readonly args: ReadonlyArray<unknown>
  readonly spanned: Statements
}

/**
 * The client with statements that make no spans while the host has no tracer, and are compiled at once: a span that nobody sees, and
 * the segments of a statement, are most of what it costs.
 */
const withoutSpans = (
  client: SqlClient.SqlClient,
  run: (fiber: Fiber.Fiber<unknown, unknown>, ...statement: Parameters<Execute>) => ReturnType<Execute>
): SqlClient.SqlClient => {
  const isLean = (part: object): part is Lean => Object.prototype.isPrototypeOf.call(prototype, part)
  const write = ({ args, strings }: Lean, into: Written): boolean => {
    into.text += strings[0] ?? ""
    return args.every((arg, index) => {
      const isWritten = writeArgument(arg, into)
      into.text += strings[index + 1] ?? ""
      return isWritten
    })
  }
  const writeArgument = (arg: unknown, into: Written): boolean => {
    if (typeof arg === "object" && arg !== null) {
      if (isLean(arg)) return write(arg, into)
      if (Statement.isFragment(arg)) return writeSegments(arg.segments, into)
      if (isTagged(arg)) return writeSegments([arg], into)
    }
    into.text += "?"
    into.params.push(arg)
    return true
  }
  const evaluate = function (this: Lean, fiber: Fiber.Fiber<unknown, unknown>) {
    const isTraced = Context.get(fiber.context, Tracer.Tracer) !== Tracer.nativeTracer
    if (isTraced || Context.get(fiber.context, Statement.CurrentTransformer) !== undefined) return this.spanned
    const written = { text: "", params: [] }
    if (write(this, written)) return run(fiber, written.text, written.params)
    const [text, params] = this.spanned.compile()
    return run(fiber, text, params)
  }
  const bySpanned = (name: keyof Statements) => ({
    get(this: Lean) {
      const member: unknown = this.spanned[name]
      return typeof member === "function" ? member.bind(this.spanned) : member
    }
  })
  const prototype: object = Object.create(Object.getPrototypeOf(client``), {
    ...Object.getOwnPropertyDescriptors(Effectable.Prototype<Lean>({ label: "Statement", evaluate })),
    spanned: {
      get(this: Lean) {
        return client(this.strings, ...this.args)
      }
    },
    ...Object.fromEntries(
      (
        [
          "segments",
          "compile",
          "stream",
          "raw",
          "values",
          "valuesUnprepared",
          "unprepared",
          "withoutTransform"
        ] as const
      ).map((name) => [name, bySpanned(name)])
    )
  })
  const statement = (strings: TemplateStringsArray & string, ...args: ReadonlyArray<unknown>) =>
    typeof strings === "string" ? client(strings) : Object.assign(Object.create(prototype), { strings, args })
  return Object.assign(statement, client)
}

/** A transaction with its span, if the host has a tracer. */
const withSpan = <A, E, R>(transaction: Effect.Effect<A, E, R>, fiber: Fiber.Fiber<unknown, unknown>) =>
  Context.get(fiber.context, Tracer.Tracer) === Tracer.nativeTracer
    ? transaction
    : Effect.withSpan(transaction, "sql.transaction", {
        kind: "internal",
        attributes: Object.fromEntries(driver.spanAttributes),
        captureStackTrace: false
      })

/**
 * A client of two connections: one that reads, and sees what is committed; and one that writes, whose statements and
 * transactions take turns, and are committed in groups (`engine.ts`).
 */
const clientOn = Effect.fnUntraced(function* (reader: DatabaseSync, writer: DatabaseSync) {
  const read = connectionTo(reader)
  const groups = yield* makeGroups(writer, connectionTo(writer))
  const outside: Execute = (text, params) => {
    if (isRead(text)) return read(text, params)
    return isPragma(text) ? groups.between(text, params) : groups.alone(text, params)
  }
  const client = yield* SqlClient.make({ ...driver, acquirer: Effect.succeed(connectionBy(outside)) })
  const inTurn = connectionBy(groups.runInTurn)
  const transaction = Context.getOrUndefined(client.transactionService)
  /** The transactions within others take turns. */
  const within = new WeakMap<object, Semaphore.Semaphore>()
  const withTransaction = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
    Effect.withFiber((fiber) => {
      const outer = transaction(fiber.context)
      const depth = outer === undefined ? 0 : outer[1] + 1
      const level = [inTurn, depth] as const
      const turns = Semaphore.makeUnsafe(1)
      within.set(level, turns)
      const inner = Effect.provideService(effect, client.transactionService, level)
      const run =
        outer === undefined
          ? groups.transaction(inner)
          : (within.get(outer) ?? turns).withPermit(groups.withSavepoint(`inner_${depth}`, inner))
      return withSpan(run, fiber)
    })
  return Object.assign(
    withoutSpans(client, (fiber, text, params) =>
      transaction(fiber.context) === undefined ? outside(text, params) : groups.runInTurn(text, params)
    ),
    { withTransaction }
  )
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

/** What is committed together. It is settled when that is on the disk, or undone. */
interface Group {
  readonly settled: Deferred.Deferred<void, SqlError.SqlError>
  readonly isForced: boolean
  writes: number
}

/** Statements block the event loop. So after this many writes it turns, and what came meanwhile is done. */
const maxWrites = 8

/** Whether a write is forced to the disk when it is committed. One that isn't is there only once a later one is. */
const Forced = Context.Reference<boolean>("slipway/adapters/sqlite/Forced", { defaultValue: () => true })

/** Runs a statement at once. The result is an effect too. */
export type Run = (text: string, params?: ReadonlyArray<unknown>) => Exit.Exit<ReadonlyArray<object>, SqlError.SqlError>

/**
 * Group commit. Forcing a commit to the disk blocks the process for milliseconds. So the writes of one iteration of the event
 * loop, up to `maxWrites`, are committed together in the next, and their callers are answered after that. A write that fails undoes only its own
 * changes. If the commit fails, all writes of the group fail.
 */
export const makeGroups = Effect.fnUntraced(function* (db: DatabaseSync, run: Run) {
  const turns = Semaphore.makeUnsafe(1)
  let open: Group | undefined
  let isTaken = false
  let forces = true

  const settle = (group: Group, done: Exit.Exit<void, SqlError.SqlError>) => {
    open = undefined
    Deferred.doneUnsafe(group.settled, done)
  }

  /** Commits the open group. What can't be committed is undone; SQLite may have done so itself. */
  const commit = () => {
    if (open === undefined) return
    const done = run("COMMIT")
    if (Exit.isFailure(done) && db.isTransaction) run("ROLLBACK")
    settle(open, Exit.asVoid(done))
  }

  /** Runs an effect in one's turn. While it waits for that, it can be interrupted. */
  const inTurn = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    turns.withPermit(
      Effect.suspend(() => {
        isTaken = true
        return Effect.onExitPrimitive(effect, () => {
          isTaken = false
          return undefined
        })
      })
    )
  const commitInTurn = inTurn(Effect.sync(commit))

  /** Begins a group, which is committed in the next turn of the event loop. */
  const begin = (isForced: boolean): Exit.Exit<Group, SqlError.SqlError> => {
    commit()
    if (forces !== isForced) {
      const changed = run(`PRAGMA synchronous = ${isForced ? "FULL" : "NORMAL"}`)
      if (Exit.isFailure(changed)) return Exit.failCause(changed.cause)
      forces = isForced
    }
    const begun = run("BEGIN IMMEDIATE")
    if (Exit.isFailure(begun)) return Exit.failCause(begun.cause)
    open = { settled: Deferred.makeUnsafe(), isForced, writes: 1 }
    setImmediate(() => (isTaken ? void Effect.runFork(commitInTurn) : commit()))
    return Exit.succeed(open)
  }

  /** In one's turn: the open group, or a new one if that is full, or isn't forced and one's own write is to be. */
  const join = Forced.use((isForced): Effect.Effect<Group, SqlError.SqlError> => {
    if (open === undefined || (isForced && !open.isForced)) return begin(isForced)
    if (open.writes === maxWrites) {
      commit()
      return Effect.flatMap(nextTurn, () => begin(isForced))
    }
    open.writes += 1
    return Exit.succeed(open)
  })

  /** Runs a statement of who has the turn. If its failure has undone the whole group, the group's other members fail with it. */
  const runInTurn: Run = (text, params) => {
    const exit = run(text, params)
    if (Exit.isFailure(exit) && !db.isTransaction && open !== undefined) settle(open, Exit.asVoid(exit))
    return exit
  }

  /** Undoes what was done since a savepoint, unless all of it is undone already. */
  const undo = (savepoint: string): Exit.Exit<unknown, SqlError.SqlError> => {
    if (!db.isTransaction) return Exit.void
    const undone = run(`ROLLBACK TO ${savepoint}`)
    return Exit.isFailure(undone) ? undone : run(`RELEASE ${savepoint}`)
  }

  /** Keeps what an effect did since a savepoint, or undoes it if the effect failed. */
  const endSavepoint = <A, E>(savepoint: string, exit: Exit.Exit<A, E>): Exit.Exit<A, E | SqlError.SqlError> => {
    if (Exit.isSuccess(exit)) {
      const released = run(`RELEASE ${savepoint}`)
      return Exit.isFailure(released) ? Exit.failCause(released.cause) : exit
    }
    const undone = undo(savepoint)
    return Exit.isFailure(undone) ? Exit.die(Cause.squash(undone.cause)) : exit
  }

  yield* Effect.addFinalizer(() => commitInTurn)

  return {
    runInTurn,

    /** Runs a statement that is a whole commit by itself. Once begun, it isn't interrupted before it is settled. */
    alone: (text: string, params?: ReadonlyArray<unknown>) =>
      Effect.uninterruptible(
        Effect.flatMap(
          inTurn(Effect.map(join, ({ settled }) => ({ settled, exit: runInTurn(text, params) }))),
          ({ exit, settled }) => Effect.flatMap(Deferred.await(settled), () => exit)
        )
      ),

    /** Runs a statement while no group is open. */
    between: (text: string, params?: ReadonlyArray<unknown>) =>
      inTurn(
        Effect.suspend(() => {
          commit()
          return run(text, params)
        })
      ),

    /** Runs an effect of who has the turn so that what it wrote is undone if it fails. */
    withSavepoint: <A, E, R>(savepoint: string, effect: Effect.Effect<A, E, R>) =>
      Effect.uninterruptibleMask((restore) => {
        const begun = run(`SAVEPOINT ${savepoint}`)
        if (Exit.isFailure(begun)) return Exit.failCause(begun.cause)
        return Effect.flatMap(Effect.exit(restore(effect)), (exit) => endSavepoint(savepoint, exit))
      }),

    /**
     * Runs a transaction, which takes its turn and joins a group, and answers when that is settled: also when the transaction has
     * failed, as it may have seen what others in the group had written, and when it was interrupted.
     */
    transaction: <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
      Effect.uninterruptibleMask((restore) => {
        let joined: Group | undefined
        const body = Effect.flatMap(join, (group): Effect.Effect<A, E | SqlError.SqlError, R> => {
          joined = group
          const begun = run("SAVEPOINT joined")
          if (Exit.isFailure(begun)) return Exit.failCause(begun.cause)
          return Effect.flatMap(Effect.exit(restore(effect)), (exit) => endSavepoint("joined", exit))
        })
        return Effect.flatMap(Effect.exit(restore(inTurn(Effect.uninterruptible(body)))), (exit) =>
          joined === undefined ? exit : Effect.flatMap(Deferred.await(joined.settled), () => exit)
        )
      })
  }
})

// Common parts of commits. Each commit is one transaction.

/** Stores `once` and replaces an expired answer; fails with `Conflict` if an answer hasn't expired. */
export const storeOnce = ({ sql }: Engine, once: Once | undefined) => {
  if (once === undefined) return Effect.void
  const { accountId, expiresAt, keyHash, requestHash, sealedAnswer } = once.answer
  return orConflict(sql`
    INSERT INTO idempotency_keys (account_id, key_hash, request_hash, sealed_answer, expires_at)
    VALUES (${accountId}, ${keyHash}, ${requestHash}, ${sealedAnswer}, ${DateTime.toDateUtc(expiresAt)})
    ON CONFLICT (account_id, key_hash) DO UPDATE SET
      request_hash = excluded.request_hash, sealed_answer = excluded.sealed_answer, expires_at = excluded.expires_at
    WHERE expires_at <= ${DateTime.toDateUtc(once.now)}
    RETURNING key_hash
  `)
}

/** A time is stored as milliseconds, JSON and lists as text. */
export const columnTypes: ColumnTypes = {
  Time: Schema.DateTimeUtcFromMillis,
  Truth: Schema.BooleanFromBit,
  json: jsonColumn,
  list: jsonColumn
}

const rows = makeRows(columnTypes)

/** SQLite, for the statements that all engines share. */
export const engineOn = (sql: SqlClient.SqlClient): Engine => {
  const atomically = inTransaction(sql)
  return {
    ...rows,
    sql,
    inTransaction: atomically,
    orUnavailable,
    orWriteFailure,
    redoable: Effect.provideService(Forced, false),
    together: (writes) => atomically(Effect.forEach(writes, (write) => write, { discard: true })),
    lookUp:
      (find) =>
      (id, account = "") =>
        Effect.map(find([id], account), (found) => Option.fromUndefinedOr(found.get(id))),
    among: (column, values) => sql.in(column, values),
    // Writes take turns, so nothing that a statement reads changes before it ends.
    amongLocked: (column, query) => sql`${sql.literal(column)} IN (${query})`,
    lockedBy: () => sql.literal(""),
    free: sql.literal(""),
    earlierTime: Effect.succeed,
    room: roomInTurn({ openPart, sql }),
    openPart,
    contents: (json) => sql`(
      SELECT
        value ->> 'accountId' AS account_id, value ->> 'contentHash' AS content_hash, value ->> 'sizeBytes' AS size_bytes,
        value ->> 'objectKey' AS object_key
      FROM json_each(${json})
    ) asked`,
    jsonText: (text) => sql`${text}`,
    contains: (column, text) => sql`instr(lower(${column}), lower(${text})) > 0`,
    jsonField: (column, field) => sql`${column} ->> ${field}`,
    jsonIncludes: (column, text) => sql`EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ${text})`,
    oneLink: "repositories.key_digest"
  }
}
