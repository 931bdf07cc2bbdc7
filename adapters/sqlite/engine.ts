import { Cause, Context, DateTime, Deferred, Effect, Exit, Option, Schema, Semaphore } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { DatabaseSync } from "node:sqlite"
import { jsonColumn, nextTurn } from "../sql/values.ts"
import type { Once } from "../../core/ports/IdempotencyStore.ts"
import { inTransaction, orConflict, type Engine } from "../sql/Engine.ts"
import { makeRows, type ColumnTypes } from "../sql/rows.ts"
import { roomInTurn } from "../sql/usage.ts"
import { openPart } from "./migrations.ts"
import { orUnavailable, orWriteFailure } from "./failures.ts"

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

/** Common parts of commits. Each commit is one transaction. */

/** Stores `once` and replaces an expired answer; fails with `Conflict` if an answer hasn't expired. */
export const keep = ({ sql }: Engine, once: Once | undefined) => {
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
