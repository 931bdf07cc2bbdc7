/**
 * Triggers count what accounts use, by the amounts that `countedOf` of `core/rules/limits.ts` gave each row. They count in the commit of
 * the row itself, for every writer, including a restore.
 */
import { Effect, Layer } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { baseline, type Step, stepsOf } from "../sql/baseline.ts"
import { openQuery, previewsOf, recountOpen, storedAmounts, uploadTables } from "../sql/usage.ts"
import { DatabaseFileUnusable, unusable } from "./failures.ts"

const addStored = (account: string, bytes: string): string => `
  INSERT INTO account_stored_bytes (account_id, bytes) VALUES (${account}, ${bytes})
  ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;`

const addToMonth = (time: string, bytes: string, previews: 0 | 1, runs: 0 | 1): string => `
  INSERT INTO account_usage (account_id, month, bytes, previews, runs)
  VALUES (NEW.account_id, strftime('%Y-%m', ${time} / 1000.0, 'unixepoch'), ${bytes}, ${previews}, ${runs})
  ON CONFLICT (account_id, month) DO UPDATE SET
    bytes = bytes + excluded.bytes, previews = previews + excluded.previews, runs = runs + excluded.runs;`

const usageTriggers: ReadonlyArray<string> = [
  ...storedAmounts.flatMap(({ column, table }) => [
    `CREATE TRIGGER ${table}_stored AFTER INSERT ON ${table} BEGIN ${addStored("NEW.account_id", `COALESCE(NEW.${column}, 0)`)} END`,
    `CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN ${addStored("OLD.account_id", `-COALESCE(OLD.${column}, 0)`)} END`
  ]),
  ...uploadTables.flatMap((table) => {
    const finalized = `
      ${addToMonth("NEW.finalized_at", "NEW.uploaded_bytes", table === "previews" ? 1 : 0, 0)}
      INSERT INTO shared_objects (object_key, reservation_id)
      SELECT DISTINCT value, NEW.id FROM json_each(NEW.stored, '$.shared');`
    return [
      `CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} WHEN NEW.finalized_at IS NOT NULL BEGIN ${finalized} END`,
      `CREATE TRIGGER ${table}_finalized AFTER UPDATE OF finalized_at ON ${table}
        WHEN OLD.finalized_at IS NULL AND NEW.finalized_at IS NOT NULL
      BEGIN ${finalized} ${addStored("NEW.account_id", "NEW.stored_bytes - OLD.stored_bytes")} END`,
      `CREATE TRIGGER ${table}_unshared AFTER DELETE ON ${table} BEGIN
        DELETE FROM shared_objects WHERE reservation_id = OLD.id;
      END`
    ]
  }),
  `CREATE TRIGGER test_runs_inserted AFTER INSERT ON test_runs BEGIN ${addToMonth("NEW.created_at", "0", 0, 1)} END`
]

// The schema as a list of steps. Nothing is published yet, so the first step is the whole schema; from the first release on, a step is
// never edited, and changes are further steps.
//
// Times are milliseconds; lists and declarations are JSON.

const baselineStatements = [
  ...baseline({
    id: "TEXT",
    text: "TEXT",
    time: "INTEGER",
    digest: "BLOB",
    integer: "INTEGER",
    amount: "INTEGER",
    fraction: "REAL",
    flag: "INTEGER",
    json: "TEXT",
    list: "TEXT",
    numbered: () => "INTEGER PRIMARY KEY AUTOINCREMENT",
    byKey: " STRICT, WITHOUT ROWID",
    byRow: " STRICT",
    transient: "TABLE",
    ciRun: "substr(source, 1, instr(source || '/', '/') - 1)",
    shortLived: "expires_at - created_at <= 3600000"
  }),
  `CREATE INDEX builds_of_repository ON builds (repository_id, id)`,
  `CREATE INDEX builds_of_branch ON builds (repository_id, branch_digest, id)`,
  `CREATE INDEX builds_of_branch_and_platform ON builds (repository_id, branch_digest, platform, id)`,
  `CREATE TABLE account_stored_bytes (account_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  `CREATE TABLE account_usage (
    account_id TEXT NOT NULL,
    month TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    previews INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    PRIMARY KEY (account_id, month)
  ) STRICT, WITHOUT ROWID`,
  ...usageTriggers
]

/** Writes take turns, so the open uploads of an account are counted in one row. */
export const openPart = "v.account_id"

const openTriggers = uploadTables.flatMap((table) => {
  const previews = previewsOf[table]
  const subtract = `
    UPDATE account_open_uploads SET
      reservations = reservations - 1, bytes = bytes - OLD.declared_bytes, previews = previews - ${previews}
    WHERE account_id = OLD.account_id AND as_of < OLD.expires_at;`
  return [
    `CREATE TRIGGER ${table}_opened AFTER INSERT ON ${table} WHEN NEW.finalized_at IS NULL BEGIN
      INSERT INTO account_open_uploads (account_id, part, as_of, reservations, bytes, previews)
      VALUES (NEW.account_id, NEW.account_id, NEW.reserved_at, 0, 0, 0) ON CONFLICT DO NOTHING;
      UPDATE account_open_uploads SET
        reservations = reservations + 1, bytes = bytes + NEW.declared_bytes, previews = previews + ${previews}
      WHERE account_id = NEW.account_id AND as_of < NEW.expires_at;
      UPDATE account_open_uploads SET as_of = NEW.reserved_at, (reservations, bytes, previews) = (
        ${openQuery({ parts: "o.account_id = NEW.account_id", at: "NEW.reserved_at", part: openPart })}
      ) WHERE account_id = NEW.account_id AND as_of <> NEW.reserved_at;
    END`,
    `CREATE TRIGGER ${table}_closed AFTER UPDATE OF finalized_at ON ${table}
      WHEN OLD.finalized_at IS NULL AND NEW.finalized_at IS NOT NULL BEGIN ${subtract} END`,
    `CREATE TRIGGER ${table}_forgotten AFTER DELETE ON ${table} WHEN OLD.finalized_at IS NULL BEGIN ${subtract} END`
  ]
})

const openUploads = [
  `CREATE TABLE account_open_uploads (
    account_id TEXT NOT NULL,
    part TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    reservations INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    previews INTEGER NOT NULL,
    PRIMARY KEY (account_id, part)
  ) STRICT, WITHOUT ROWID`,
  ...openTriggers,
  recountOpen(openPart, "CAST(unixepoch('subsec') * 1000 AS INTEGER)")
]

export const steps = stepsOf({ "0001_baseline": baselineStatements, "0002_open_uploads": openUploads })

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

/** Brings a database file to the schema of this version. A file that a newer version has migrated is refused. */
export const layerMigrations = Layer.effectDiscard(migrate(steps))
