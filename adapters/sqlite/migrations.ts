/**
 * Triggers count what accounts use, by the amounts that `countedOf` of `core/rules/limits.ts` gave each row. They count in the commit of
 * the row itself, for every writer, including a restore.
 */
import { storedAmounts, uploadTables } from "../sql/usage.ts"
import { Layer } from "effect"
import { baseline, stepsOf } from "../sql/baseline.ts"
import { migrate } from "./migrate.ts"

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

/**
 * The schema as a list of steps. Nothing is published yet, so the first step is the whole schema; from the first release on, a step is
 * never edited, and changes are further steps.
 *
 * Times are milliseconds; lists and declarations are JSON.
 */

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

export const steps = stepsOf({ "0001_baseline": baselineStatements })

/** Brings a database file to the schema of this version. A file that a newer version has migrated is refused. */
export const layerMigrations = Layer.effectDiscard(migrate(steps))
