import { Data, Effect, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { sqlErrorMessage, sqlState } from "./failures.ts"
import type { Step } from "../sql/baseline.ts"
import { inTransaction } from "../sql/Engine.ts"

/** A step failed, and nothing of it was stored. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly step: string
  readonly cause: SqlError.SqlError
}> {
  override get message() {
    return `The database can't take the step ${this.step}: ${sqlErrorMessage(this.cause)}`
  }
}

const hasState =
  (...states: ReadonlyArray<string>) =>
  (error: unknown): boolean =>
    SqlError.isSqlError(error) && states.includes(sqlState(error) ?? "")

const isUndefinedTable = hasState("42P01")
/** Another session was in the way: a lock wasn't free in time, or there was a deadlock or a conflict. */
const isInTheWay = hasState("55P03", "40P01", "40001")

const failedAt = (step: string) => (cause: SqlError.SqlError) => new MigrationFailed({ step, cause })

/** The ids of the done steps. Makes the table that lists them if it is missing, unless another host is quicker. */
const done = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const read = sql<{ readonly migration_id: number }>`SELECT migration_id FROM slipway_migrations`
  const create = sql`
    CREATE TABLE slipway_migrations (
      migration_id integer PRIMARY KEY,
      created_at timestamptz NOT NULL DEFAULT now(),
      name text NOT NULL
    )
  `
  const rows = yield* Effect.catchIf(read, isUndefinedTable, () =>
    Effect.matchEffect(create, {
      onSuccess: () => read,
      onFailure: (why) => Effect.mapError(read, () => why)
    })
  )
  return new Set(rows.map((row) => row.migration_id))
}).pipe(Effect.mapError(failedAt("slipway_migrations")))

/** The database is at another schema than this version's, so reading all of it could leave something out. */
export class OtherSchema extends Data.TaggedError("OtherSchema")<{ readonly detail: string; readonly hint: string }> {
  override get message() {
    return `The database is at another schema: ${this.detail}; ${this.hint}.`
  }
}

/** Fails unless a database has done exactly these steps. */
export const assertCurrent = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const seen = yield* done
  const missing = steps.find(({ id }) => !seen.has(id))
  if (missing !== undefined) {
    return yield* new OtherSchema({
      detail: `it lacks the step ${missing.name}`,
      hint: "start a host of this version on it once"
    })
  }
  if (seen.size > steps.length) {
    return yield* new OtherSchema({
      detail: "a newer version of Slipway has used it",
      hint: "run that version or a later one"
    })
  }
})

/**
 * Does one step in a transaction, unless it is done. It first inserts the step's row, so another host that wants to do
 * the same step waits until this one has committed or failed. It takes no lock that running hosts don't take as well.
 *
 * A statement that would wait for older hosts fails after two seconds, because every later statement would have to wait
 * too. Then the step is tried again.
 */
const doOnce = ({ id, name, statements }: Step) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.gen(function* () {
      yield* sql`SET LOCAL statement_timeout = 0`
      yield* sql`SET LOCAL lock_timeout = 0`
      const claimed = yield* sql`
        INSERT INTO slipway_migrations (migration_id, name) VALUES (${id}, ${name})
        ON CONFLICT (migration_id) DO NOTHING
        RETURNING migration_id
      `
      if (claimed.length === 0) return
      yield* sql`SET LOCAL lock_timeout = '2s'`
      yield* Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
    }).pipe(inTransaction(sql))
  )

/**
 * Does the missing steps in order, each in its own transaction. Unknown steps stay: the database was migrated by a
 * newer version, on whose schema this version can run.
 *
 * When no step is missing, it locks nothing and needs no permission to change the schema. Effect's `Migrator` locks its table for all
 * steps in one transaction, so hosts that start meanwhile would wait, and a step that waits for older hosts would stop them.
 */
export const migrate = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const seen = yield* done
  for (const step of steps.filter(({ id }) => !seen.has(id))) {
    yield* doOnce(step).pipe(
      Effect.retry({ while: isInTheWay, schedule: Schedule.spaced("1 second"), times: 600 }),
      Effect.mapError(failedAt(step.name))
    )
  }
})
