/**
 * The schema as a list of steps. Nothing is published yet, so the first step is the whole schema; from the first release on, a step is
 * never edited, and changes are further steps.
 *
 * Times are milliseconds; lists and declarations are JSON.
 */
import { Layer } from "effect"
import { baseline } from "../sql/baseline.ts"
import { stepsOf } from "../sql/Step.ts"
import { migrate } from "./migrate.ts"
import { usageTriggers } from "./usageTriggers.ts"

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
