import { Context, DateTime, Deferred, Effect, Option, Schema, Semaphore, type Scope } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import type { DatabaseSync } from "node:sqlite"
import { nextTurn } from "../sql/values.ts"
import type { Once } from "../../core/ports/IdempotencyStore.ts"
import { inTransaction, orConflict, type Engine } from "../sql/Engine.ts"
import { makeRows, type ColumnTypes } from "../sql/rows.ts"
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

type Restore = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/**
 * Group commit. Forcing a commit to the disk blocks the process for milliseconds. So the writes of one iteration of the event
 * loop, up to `maxWrites`, are committed together in the next, and their callers are answered after that. A write that fails undoes only its own
 * changes. If the commit fails, all writes of the group fail.
 */
export const makeGroups = Effect.fnUntraced(function* (
  db: DatabaseSync,
  write: (text: string) => Effect.Effect<unknown, SqlError.SqlError>
) {
  const turns = Semaphore.makeUnsafe(1)
  let open: Group | undefined

  const settle = (group: Group, done: Effect.Effect<unknown, SqlError.SqlError>) =>
    Effect.suspend(() => {
      open = undefined
      return Effect.asVoid(Deferred.into(Effect.asVoid(done), group.settled))
    })

  /** Commits the open group. What can't be committed is undone; SQLite may have done so itself. */
  const commit = Effect.suspend(() => {
    if (open === undefined) return Effect.void
    const undone = Effect.suspend(() => (db.isTransaction ? Effect.ignore(write("ROLLBACK")) : Effect.void))
    return settle(
      open,
      Effect.tapError(write("COMMIT"), () => undone)
    )
  })

  let forces = true

  const begin = Effect.fnUntraced(function* (isForced: boolean) {
    yield* commit
    if (forces !== isForced) {
      yield* write(`PRAGMA synchronous = ${isForced ? "FULL" : "NORMAL"}`)
      forces = isForced
    }
    yield* write("BEGIN IMMEDIATE")
    open = { settled: yield* Deferred.make<void, SqlError.SqlError>(), isForced, writes: 1 }
    yield* Effect.forkDetach(Effect.andThen(nextTurn, turns.withPermit(commit)))
    return open
  })

  /**
   * In one's turn: the group that is open, unless it is full, or isn't forced and one's own write is to be; or a new one, which is
   * committed in the next turn of the event loop.
   */
  const join = Forced.use((isForced) => {
    if (open === undefined || (isForced && !open.isForced)) return begin(isForced)
    if (open.writes === maxWrites) return Effect.andThen(commit, Effect.andThen(nextTurn, begin(isForced)))
    open.writes += 1
    return Effect.succeed(open)
  })

  /** Watches a statement of who has the turn: where its failure has undone the whole group, the other members are notified. */
  const watched = <A>(statement: Effect.Effect<A, SqlError.SqlError>) =>
    Effect.tapError(statement, (error) =>
      db.isTransaction || open === undefined ? Effect.void : settle(open, Effect.fail(error))
    )

  yield* Effect.addFinalizer(() => turns.withPermit(commit))

  return {
    watched,

    /** Runs a statement that is a whole commit by itself. Once begun, it isn't interrupted before it is settled. */
    alone: <A>(statement: Effect.Effect<A, SqlError.SqlError>): Effect.Effect<A, SqlError.SqlError> =>
      Effect.gen(function* () {
        const { exit, group } = yield* turns.withPermit(
          Effect.gen(function* () {
            const group = yield* join
            return { exit: yield* Effect.exit(watched(statement)), group }
          })
        )
        yield* Deferred.await(group.settled)
        return yield* exit
      }).pipe(Effect.uninterruptible),

    /** Runs a statement while no group is open. */
    between: <A>(statement: Effect.Effect<A, SqlError.SqlError>) => turns.withPermit(Effect.andThen(commit, statement)),

    /** Undoes what was done since a savepoint, unless all of it is undone already. */
    undo: (savepoint: string) =>
      Effect.suspend(() =>
        db.isTransaction
          ? Effect.andThen(write(`ROLLBACK TO ${savepoint}`), write(`RELEASE ${savepoint}`))
          : Effect.void
      ),

    /**
     * Runs a transaction, which takes its turn and joins a group by what it is given, and answers when that is settled:
     * also when the transaction has failed, as it may have seen what others in the group had written, and when it was
     * interrupted.
     */
    joined: <A, E, R>(
      transaction: (
        join: (restore: Restore) => Effect.Effect<void, SqlError.SqlError, Scope.Scope>
      ) => Effect.Effect<A, E, R>
    ) =>
      Effect.suspend(() => {
        let joined: Group | undefined
        const settled = Effect.suspend(() => (joined === undefined ? Effect.void : Deferred.await(joined.settled)))
        return Effect.uninterruptibleMask((interruptible) =>
          interruptible(
            transaction((restore) =>
              Effect.gen(function* () {
                yield* restore(turns.takeScoped(1))
                joined = yield* join
              })
            )
          ).pipe(
            Effect.matchCauseEffect({
              onSuccess: (answer) => Effect.as(settled, answer),
              onFailure: (cause) => Effect.andThen(settled, Effect.failCause(cause))
            })
          )
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
  json: Schema.fromJsonString,
  list: Schema.fromJsonString
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
