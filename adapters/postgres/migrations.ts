/**
 * The schema as a list of steps. Nothing is published yet, so the first step is the whole schema; from the first release on, a step is
 * never edited, and changes are further steps.
 *
 * Texts that are ordered or indexed are compared by their bytes (`COLLATE "C"`), so the server's locale has no effect. Numbers that may
 * be large are `double precision`, which every driver reads as numbers.
 */
import { Layer } from "effect"
import { baseline } from "../sql/baseline.ts"
import { stepsOf } from "../sql/Step.ts"
import { migrate } from "./migrate.ts"
import { usageTriggers } from "./usageTriggers.ts"

const baselineStatements = [
  `CREATE SEQUENCE outbox_place`,
  `CREATE SEQUENCE delivery_attempts_place`,
  ...baseline({
    id: `text COLLATE "C"`,
    text: "text",
    time: "timestamptz",
    digest: "bytea",
    integer: "integer",
    amount: "double precision",
    fraction: "double precision",
    flag: "boolean",
    json: "jsonb",
    list: "text[]",
    numbered: (table) => `double precision PRIMARY KEY DEFAULT nextval('${table}_place')`,
    byKey: "",
    byRow: "",
    transient: "UNLOGGED TABLE",
    ciRun: "left(split_part(source, '/', 1), 256)",
    shortLived: "expires_at - created_at <= 3600000 * interval '1 millisecond'"
  }),
  // The branches of a repository are gathered from its last builds, which this index answers alone.
  `CREATE INDEX builds_of_repository ON builds (repository_id, id) INCLUDE (line_digest, platform)`,
  `CREATE INDEX builds_of_branch ON builds (repository_id, branch_digest, platform, id)`,
  `CREATE TABLE account_stored_bytes (
    account_id text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    bytes double precision NOT NULL,
    PRIMARY KEY (account_id, part)
  )`,
  `CREATE TABLE account_usage (
    account_id text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    bytes double precision NOT NULL,
    previews integer NOT NULL,
    runs integer NOT NULL,
    PRIMARY KEY (account_id, month, part)
  )`,
  // Compression of results would take a quarter of a registration's time. The other columns together remain in the row.
  `ALTER TABLE test_histories SET (toast_tuple_target = 4080)`,
  `ALTER TABLE test_histories ALTER COLUMN results SET STORAGE EXTERNAL`,
  // A sample of rows may lack a platform that few builds have. PostgreSQL then estimates that every build is of the platform that
  // is asked for, and looks for it among all builds of the repository.
  `ALTER TABLE builds ALTER COLUMN platform SET (n_distinct = 2)`,
  ...usageTriggers
]

export const steps = stepsOf({ "0001_baseline": baselineStatements })

/**
 * Brings the database to the schema of this version. Several hosts may do this at the same time, and while older hosts
 * run.
 */
export const layerMigrations = Layer.effectDiscard(migrate(steps))
