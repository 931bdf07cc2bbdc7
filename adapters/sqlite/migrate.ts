import { Effect } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import type { Step } from "../sql/baseline.ts"
import { DatabaseFileUnusable, unusable } from "./failures.ts"

/** The done steps of a database in order; none when Slipway never used it. */
export const stepsDone = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.gen(function* () {
    const table = yield* sql`SELECT 1 FROM sqlite_schema WHERE name = 'slipway_migrations'`
    if (table.length === 0) return []
    return yield* sql<Omit<Step, "statements">>`SELECT migration_id AS id, name FROM slipway_migrations ORDER BY id`
  })
)

const fileOf = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly file: string }>`SELECT file FROM pragma_database_list`, ([main]) => main?.file ?? "")
)

/** Refuses a schema with unknown steps, because this version might read it wrongly and lose data when it writes. */
const refuseNewer = (known: ReadonlyArray<Step>, done: ReadonlyArray<Omit<Step, "statements">>) => {
  const strange = done.find(({ id }) => !known.some((step) => step.id === id))
  return strange === undefined
    ? Effect.void
    : Effect.flatMap(fileOf, (file) =>
        Effect.fail(
          new DatabaseFileUnusable({
            file,
            detail: `a newer version of Slipway has used it (its schema has the step ${strange.name})`,
            hint: "run that version or a later one"
          })
        )
      )
}

/** Adds to a failure the file that it is about and what to do. */
const withFile = <A, E, R>(effect: Effect.Effect<A, E | SqlError.SqlError, R>) =>
  Effect.catchIf(effect, SqlError.isSqlError, (error) =>
    Effect.flatMap(
      Effect.orElseSucceed(fileOf, () => ""),
      (file) => Effect.fail(unusable(file, error.reason.cause))
    )
  )

/** Refuses a database whose schema doesn't have exactly these steps. */
export const assertCurrent = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const done = yield* stepsDone
  yield* refuseNewer(steps, done)
  if (done.length === steps.length) return
  return yield* new DatabaseFileUnusable({
    file: yield* fileOf,
    detail: "it is at the schema of an earlier version of Slipway",
    hint: "start a host of this version on it once"
  })
}, withFile)

/**
 * Does the missing steps in order and in one transaction, so the schema is either complete or unchanged. When no step
 * is missing, nothing is written. Effect's `Migrator` knows only the latest step, so it can't refuse the schema of a newer version.
 */
export const migrate = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>) {
  const sql = yield* SqlClient.SqlClient
  const done = yield* stepsDone
  yield* refuseNewer(steps, done)
  const missing = steps.filter(({ id }) => !done.some((step) => step.id === id))
  if (missing.length === 0) return
  yield* Effect.gen(function* () {
    yield* sql`
        CREATE TABLE IF NOT EXISTS slipway_migrations (
          migration_id INTEGER PRIMARY KEY,
          created_at INTEGER NOT NULL DEFAULT (unixepoch('subsec') * 1000),
          name TEXT NOT NULL
        ) STRICT
      `
    for (const { id, name, statements } of missing) {
      yield* Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
      yield* sql`INSERT INTO slipway_migrations (migration_id, name) VALUES (${id}, ${name})`
    }
  }).pipe(sql.withTransaction)
}, withFile)
