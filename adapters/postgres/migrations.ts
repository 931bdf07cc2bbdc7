/**
 * Triggers count what accounts use, by the amounts that `countedOf` of `core/rules/limits.ts` gave each row. They count in the commit of
 * the row itself, for every writer, including a restore.
 */
import { Data, Effect, Layer, Schedule } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { inTransaction } from "../sql/Engine.ts"
import { baseline, type Step, stepsOf } from "../sql/baseline.ts"
import { openQuery, recountOpen, storedAmounts, uploadTables } from "../sql/usage.ts"
import { sqlErrorMessage, sqlState } from "./failures.ts"

/** Commits of one account on several connections add to different parts, so that they seldom wait for each other. */
const part = "pg_backend_pid() % 16"

const addStored = (rows: string): string => `
  INSERT INTO account_stored_bytes AS k (account_id, part, bytes) ${rows}
  ON CONFLICT (account_id, part) DO UPDATE SET bytes = k.bytes + EXCLUDED.bytes;`

const addToMonth = (time: string, amounts: string): string => `
  INSERT INTO account_usage AS u (account_id, month, part, bytes, previews, runs)
  VALUES (NEW.account_id, to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM'), ${part}, ${amounts})
  ON CONFLICT (account_id, month, part) DO UPDATE SET
    bytes = u.bytes + EXCLUDED.bytes, previews = u.previews + EXCLUDED.previews, runs = u.runs + EXCLUDED.runs;`

const triggerFunction = (name: string, body: string, settings = ""): string =>
  `CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql ${settings} AS $$ BEGIN ${body} RETURN NULL; END $$`

const usageTriggers: ReadonlyArray<string> = [
  // One change for each account, in the order of accounts, however many rows a statement inserts or deletes.
  ...storedAmounts.flatMap(({ column, table }) => [
    triggerFunction(
      `count_${table}`,
      `IF NOT EXISTS (SELECT 1 FROM changed WHERE ${column} <> 0) THEN RETURN NULL; END IF;
      ${addStored(`
        SELECT account_id, ${part}, sum(CASE WHEN TG_OP = 'INSERT' THEN ${column} ELSE -${column} END)
        FROM changed WHERE ${column} <> 0 GROUP BY account_id ORDER BY account_id`)}`
    ),
    `CREATE TRIGGER ${table}_stored AFTER INSERT ON ${table}
      REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_${table}()`,
    `CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table}
      REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_${table}()`
  ]),
  triggerFunction(
    "count_finalized",
    `${addToMonth("NEW.finalized_at", "NEW.uploaded_bytes, CASE WHEN TG_TABLE_NAME = 'previews' THEN 1 ELSE 0 END, 0")}
    IF TG_OP = 'UPDATE' THEN ${addStored(`VALUES (NEW.account_id, ${part}, NEW.stored_bytes - OLD.stored_bytes)`)} END IF;
    IF NEW.stored -> 'shared' <> '{}'::jsonb THEN
      INSERT INTO shared_objects (object_key, reservation_id)
      SELECT DISTINCT value, NEW.id FROM jsonb_each_text(NEW.stored -> 'shared');
    END IF;`
  ),
  triggerFunction("forget_shared", `DELETE FROM shared_objects WHERE reservation_id = OLD.id;`),
  ...uploadTables.flatMap((table) => [
    `CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} FOR EACH ROW
      WHEN (NEW.finalized_at IS NOT NULL) EXECUTE FUNCTION count_finalized()`,
    `CREATE TRIGGER ${table}_finalized AFTER UPDATE OF finalized_at ON ${table} FOR EACH ROW
      WHEN (OLD.finalized_at IS NULL AND NEW.finalized_at IS NOT NULL) EXECUTE FUNCTION count_finalized()`,
    `CREATE TRIGGER ${table}_unshared AFTER DELETE ON ${table} FOR EACH ROW
      WHEN (OLD.stored -> 'shared' <> '{}'::jsonb) EXECUTE FUNCTION forget_shared()`
  ]),
  triggerFunction("count_run", addToMonth("NEW.created_at", "0, 0, 1")),
  `CREATE TRIGGER test_runs_inserted AFTER INSERT ON test_runs FOR EACH ROW EXECUTE FUNCTION count_run()`
]

// The schema as a list of steps. Nothing is published yet, so the first step is the whole schema; from the first release on, a step is
// never edited, and changes are further steps.
//
// Texts that are ordered or indexed are compared by their bytes (`COLLATE "C"`), so the server's locale has no effect. Numbers that may
// be large are `double precision`, which every driver reads as numbers.

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

/** The open uploads of an account are counted in sixteen parts, by the last digit of their ids, so that commits seldom wait for each other. */
export const openPart = "(v.account_id || right(v.id, 1))"

/** A session plans a function once, maybe while the tables are empty, and keeps the plan while they grow. */
const planned = "SET enable_seqscan = off"

const openTriggers = [
  // The rows of the parts are locked in one order, and each further statement sees what others had committed before that.
  triggerFunction(
    "count_open",
    `
    IF NOT EXISTS (SELECT 1 FROM changed WHERE finalized_at IS NULL) THEN RETURN NULL; END IF;
    IF TG_OP = 'INSERT' THEN
      INSERT INTO account_open_uploads (account_id, part, as_of, reservations, bytes, previews)
      SELECT account_id, ${openPart}, max(reserved_at), 0, 0, 0 FROM changed v WHERE finalized_at IS NULL
      GROUP BY 1, 2 ORDER BY 1, 2 ON CONFLICT DO NOTHING;
    END IF;
    PERFORM 1 FROM account_open_uploads
    WHERE (account_id, part) IN (SELECT account_id, ${openPart} FROM changed v WHERE finalized_at IS NULL)
    ORDER BY account_id, part FOR UPDATE;
    UPDATE account_open_uploads k SET
      reservations = k.reservations + change.sign * change.reservations,
      bytes = k.bytes + change.sign * change.bytes,
      previews = k.previews + CASE TG_TABLE_NAME WHEN 'previews' THEN change.sign * change.reservations ELSE 0 END
    FROM (
      SELECT
        o.account_id, o.part, CASE TG_OP WHEN 'INSERT' THEN 1 ELSE -1 END AS sign, count(*) AS reservations,
        sum(v.declared_bytes) AS bytes
      FROM changed v JOIN account_open_uploads o
        ON o.account_id = v.account_id AND o.part = ${openPart} AND o.as_of < v.expires_at
      WHERE v.finalized_at IS NULL
      GROUP BY o.account_id, o.part
    ) change
    WHERE k.account_id = change.account_id AND k.part = change.part;
    IF TG_OP = 'INSERT' THEN
      UPDATE account_open_uploads k SET as_of = change.at, (reservations, bytes, previews) = (${openQuery({
        parts: "o.account_id = k.account_id AND o.part = k.part",
        at: "change.at",
        part: openPart
      })})
      FROM (
        SELECT account_id, ${openPart} AS part, max(reserved_at) AS at FROM changed v WHERE finalized_at IS NULL GROUP BY 1, 2
      ) change
      WHERE k.account_id = change.account_id AND k.part = change.part AND k.as_of <> change.at;
    END IF;`,
    planned
  ),
  // Before the update, because the triggers after it add to what the account stores: every commit locks these rows first.
  `CREATE FUNCTION close_open() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    UPDATE account_open_uploads SET
      reservations = reservations - 1, bytes = bytes - OLD.declared_bytes,
      previews = previews - CASE TG_TABLE_NAME WHEN 'previews' THEN 1 ELSE 0 END
    WHERE account_id = OLD.account_id AND part = OLD.account_id || right(OLD.id, 1) AND as_of < OLD.expires_at;
    RETURN NEW;
  END $$`,
  ...uploadTables.flatMap((table) => [
    `CREATE TRIGGER ${table}_count_opened AFTER INSERT ON ${table}
      REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_open()`,
    `CREATE TRIGGER ${table}_count_deleted AFTER DELETE ON ${table}
      REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_open()`,
    `CREATE TRIGGER ${table}_closed BEFORE UPDATE OF finalized_at ON ${table} FOR EACH ROW
      WHEN (OLD.finalized_at IS NULL AND NEW.finalized_at IS NOT NULL) EXECUTE FUNCTION close_open()`
  ])
]

/**
 * Decides whether a commit stays within the limits of its account. `limits` and `asked` have the order of `limitsOf`.
 *
 * Commits that could exceed a limit together take turns, by an advisory lock of the account until they are committed. A commit can't if
 * the account uses less than half of each limit, and all commits that the server can run at once, each as large, would
 * need a quarter: such commits share the lock.
 */
const roomFunctions = [
  `CREATE FUNCTION amounts_of(of_account text, at timestamptz, of_month text) RETURNS double precision[]
    LANGUAGE plpgsql STABLE ${planned} AS $$ BEGIN
    RETURN (
      SELECT ARRAY[stored.bytes + open.bytes, used.bytes + open.bytes, used.previews + open.previews, used.runs, open.reservations]
      FROM (SELECT COALESCE(SUM(bytes), 0) AS bytes FROM account_stored_bytes WHERE account_id = of_account) stored
      CROSS JOIN (
        SELECT COALESCE(SUM(bytes), 0) AS bytes, COALESCE(SUM(previews), 0) AS previews, COALESCE(SUM(runs), 0) AS runs
        FROM account_usage WHERE account_id = of_account AND month = of_month
      ) used
      CROSS JOIN (${openQuery({ parts: "o.account_id = of_account", at: "at", part: openPart })}) open
    );
  END $$`,
  `CREATE FUNCTION fits(used double precision[], asked double precision[], limits double precision[]) RETURNS boolean
    LANGUAGE plpgsql IMMUTABLE AS $$ BEGIN
    FOR n IN 1 .. array_length(limits, 1) LOOP
      IF used[n] + asked[n] > limits[n] THEN RETURN false; END IF;
    END LOOP;
    RETURN true;
  END $$`,
  `CREATE FUNCTION has_room(
    of_account text, at timestamptz, of_month text, asked double precision[], limits double precision[]
  ) RETURNS boolean LANGUAGE plpgsql VOLATILE AS $$
  DECLARE
    account_lock bigint := hashtextextended(of_account, 0);
    commits integer := current_setting('max_connections')::integer;
    is_small boolean := true;
    half double precision[];
    most double precision[];
  BEGIN
    FOR n IN 1 .. array_length(limits, 1) LOOP
      is_small := is_small AND COALESCE(asked[n] * commits * 4 <= limits[n], true);
      half[n] := limits[n] / 2;
      most[n] := limits[n] * 3 / 4;
    END LOOP;
    IF is_small AND fits(amounts_of(of_account, at, of_month), asked, half) THEN
      PERFORM pg_advisory_xact_lock_shared(account_lock);
      RETURN fits(amounts_of(of_account, at, of_month), asked, most);
    END IF;
    PERFORM pg_advisory_xact_lock(account_lock);
    RETURN fits(amounts_of(of_account, at, of_month), asked, limits);
  END $$`
]

const openUploads = [
  `CREATE TABLE account_open_uploads (
    account_id text COLLATE "C" NOT NULL,
    part text COLLATE "C" NOT NULL,
    as_of timestamptz NOT NULL,
    reservations integer NOT NULL,
    bytes double precision NOT NULL,
    previews integer NOT NULL,
    PRIMARY KEY (account_id, part)
  )`,
  ...uploadTables.flatMap((table) => [
    // No other index has the part, so a plan that was made for empty tables reads few rows of large ones too.
    `DROP INDEX ${table}_open`,
    `CREATE INDEX ${table}_open ON ${table} ((account_id || right(id, 1)), expires_at) WHERE finalized_at IS NULL`
  ]),
  ...openTriggers,
  ...roomFunctions,
  recountOpen(openPart, "now()")
]

export const steps = stepsOf({ "0001_baseline": baselineStatements, "0002_open_uploads": openUploads })

/** A step failed, and nothing of it was stored. */
export class MigrationFailed extends Data.TaggedError("MigrationFailed")<{
  readonly step: string
  readonly cause: SqlError.SqlError
}> {
  override readonly message = `The database can't take the step ${this.step}: ${sqlErrorMessage(this.cause)}`
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
  override readonly message = `The database is at another schema: ${this.detail}; ${this.hint}.`
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

/**
 * Brings the database to the schema of this version. Several hosts may do this at the same time, and while older hosts
 * run.
 */
export const layerMigrations = Layer.effectDiscard(migrate(steps))
