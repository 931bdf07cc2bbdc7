import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Step } from "../sql/Step.ts"
import { DatabaseFileUnusable } from "./errors.ts"
import { unusable } from "./faults.ts"

/** Does a database lack the table that tells which steps are done? Then none is. */
const isNew = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql`SELECT 1 FROM sqlite_schema WHERE name = 'slipway_migrations'`, (found) => found.length === 0)
)

const fileOf = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly file: string }>`SELECT file FROM pragma_database_list`, ([main]) => main?.file ?? "")
)

/** Refuses what this version doesn't know: it might read it wrongly, and lose something when it writes. */
const refuseNewer = (
  known: ReadonlyArray<Step>,
  done: ReadonlyArray<{ readonly migration_id: number; readonly name: string }>
) => {
  const strange = done.find((step) => !known.some(({ id }) => id === step.migration_id))
  return strange === undefined
    ? Effect.void
    : Effect.flatMap(fileOf, (file) =>
        Effect.fail(
          new DatabaseFileUnusable({
            file,
            detail: `a newer version of Slipway has used it (its schema has the step ${strange.name})`,
            mend: "run that version or a later one"
          })
        )
      )
}

/**
 * Does the steps that the database has not seen yet, in their order and all in one transaction: the schema of this version
 * is there, or the file is as it was. When there is nothing to do, nothing is written.
 */
export const migrate = Effect.fnUntraced(
  function* (steps: ReadonlyArray<Step>) {
    const sql = yield* SqlClient.SqlClient
    const done = (yield* isNew)
      ? []
      : yield* sql<{ readonly migration_id: number; readonly name: string }>`
          SELECT migration_id, name FROM slipway_migrations ORDER BY migration_id
        `
    yield* refuseNewer(steps, done)
    const missing = steps.filter(({ id }) => !done.some((step) => step.migration_id === id))
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
  },
  Effect.catchTag("SqlError", (error) =>
    Effect.flatMap(
      Effect.orElseSucceed(fileOf, () => ""),
      (file) => Effect.fail(unusable(file, error.reason.cause))
    )
  )
)
