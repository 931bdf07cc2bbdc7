/**
 * The part of the schema that counts what accounts use. Triggers count in the commit of whatever is counted, so that whoever
 * writes or deletes, a restore, and hosts of an earlier version, needn't know of it.
 */

/** Commits of one account on several connections add to different parts, so that they seldom wait for each other. */
export const part = "pg_backend_pid() % 16"

export const monthOf = (time: string): string => `to_char(${time} AT TIME ZONE 'UTC', 'YYYY-MM')`

const countUploads = (table: string): ReadonlyArray<string> => [
  // Bytes are whole numbers up to 2^53, which every driver reads as numbers.
  `ALTER TABLE ${table} ADD COLUMN declared_bytes double precision
    GENERATED ALWAYS AS (declared_bytes_of(declaration)) STORED`,
  `CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} FOR EACH ROW
    WHEN (NEW.finalized_at IS NOT NULL) EXECUTE FUNCTION count_finalized_upload()`,
  `CREATE TRIGGER ${table}_finalized AFTER UPDATE OF finalized_at ON ${table} FOR EACH ROW
    WHEN (OLD.finalized_at IS NULL AND NEW.finalized_at IS NOT NULL) EXECUTE FUNCTION count_finalized_upload()`,
  `CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} FOR EACH ROW
    WHEN (OLD.finalized_at IS NOT NULL) EXECUTE FUNCTION count_deleted_upload()`
]

/** How many bytes, previews and runs an account had in each month, and how many bytes it keeps. */
export const usageSteps: ReadonlyArray<string> = [
  `CREATE TABLE account_usage (
    account_id text COLLATE "C" NOT NULL,
    month text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    bytes double precision NOT NULL,
    previews integer NOT NULL,
    runs integer NOT NULL,
    PRIMARY KEY (account_id, month, part)
  )`,
  `CREATE TABLE account_kept (
    account_id text COLLATE "C" NOT NULL,
    part integer NOT NULL,
    bytes double precision NOT NULL,
    PRIMARY KEY (account_id, part)
  )`,
  `CREATE FUNCTION declared_bytes_of(declaration jsonb) RETURNS double precision LANGUAGE sql IMMUTABLE AS $$
    SELECT (declaration ->> 'bundleSizeBytes')::double precision + COALESCE((
      SELECT sum((declared ->> 'sizeBytes')::double precision)
      FROM jsonb_array_elements(
        COALESCE(declaration -> 'files', '[]'::jsonb) || COALESCE(declaration -> 'recordings', '[]'::jsonb)
      ) declared
    ), 0)
  $$`,
  `CREATE FUNCTION count_finalized_upload() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO account_usage AS u (account_id, month, part, bytes, previews, runs)
      VALUES (
        NEW.account_id, ${monthOf("NEW.finalized_at")}, ${part}, NEW.declared_bytes,
        CASE WHEN TG_TABLE_NAME = 'previews' THEN 1 ELSE 0 END, 0
      )
      ON CONFLICT (account_id, month, part) DO UPDATE SET
        bytes = u.bytes + EXCLUDED.bytes, previews = u.previews + EXCLUDED.previews;
      INSERT INTO account_kept AS k (account_id, part, bytes) VALUES (NEW.account_id, ${part}, NEW.declared_bytes)
      ON CONFLICT (account_id, part) DO UPDATE SET bytes = k.bytes + EXCLUDED.bytes;
      RETURN NULL;
    END
  $$`,
  `CREATE FUNCTION count_deleted_upload() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO account_kept AS k (account_id, part, bytes) VALUES (OLD.account_id, ${part}, -OLD.declared_bytes)
      ON CONFLICT (account_id, part) DO UPDATE SET bytes = k.bytes + EXCLUDED.bytes;
      RETURN NULL;
    END
  $$`,
  `CREATE FUNCTION count_run() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO account_usage AS u (account_id, month, part, bytes, previews, runs)
      VALUES (NEW.account_id, ${monthOf("NEW.created_at")}, ${part}, 0, 0, 1)
      ON CONFLICT (account_id, month, part) DO UPDATE SET runs = u.runs + 1;
      RETURN NULL;
    END
  $$`,
  ...countUploads("build_reservations"),
  ...countUploads("previews"),
  `CREATE TRIGGER test_runs_inserted AFTER INSERT ON test_runs FOR EACH ROW EXECUTE FUNCTION count_run()`,
  `INSERT INTO account_usage (account_id, month, part, bytes, previews, runs)
    SELECT account_id, month, 0, sum(bytes), sum(previews), sum(runs) FROM (
      SELECT account_id, ${monthOf("finalized_at")} AS month, declared_bytes AS bytes, 0 AS previews, 0 AS runs
      FROM build_reservations WHERE finalized_at IS NOT NULL
      UNION ALL
      SELECT account_id, ${monthOf("finalized_at")}, declared_bytes, 1, 0 FROM previews WHERE finalized_at IS NOT NULL
      UNION ALL
      SELECT account_id, ${monthOf("created_at")}, 0, 0, 1 FROM test_runs
    ) counted GROUP BY account_id, month`,
  `INSERT INTO account_kept (account_id, part, bytes)
    SELECT account_id, 0, sum(bytes) FROM account_usage GROUP BY account_id`,
  `CREATE TABLE account_quotas (
    account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (id),
    bytes_kept double precision,
    bytes_per_month double precision,
    previews_per_month double precision,
    runs_per_month double precision
  )`
]

/**
 * What an upload or a run counts as metadata, in what its account keeps from when it is stored until it is deleted. Without a value, as hosts
 * of an earlier version store it, it counts nothing.
 */
export const metadataSteps: ReadonlyArray<string> = [
  // One change for each account, in the order of accounts, however many rows a statement stores or deletes.
  `CREATE FUNCTION count_metadata() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM changed WHERE metadata_bytes IS NOT NULL) THEN RETURN NULL; END IF;
      INSERT INTO account_kept AS k (account_id, part, bytes)
      SELECT account_id, ${part}, sum(CASE WHEN TG_OP = 'INSERT' THEN metadata_bytes ELSE -metadata_bytes END)
      FROM changed WHERE metadata_bytes IS NOT NULL GROUP BY account_id ORDER BY account_id
      ON CONFLICT (account_id, part) DO UPDATE SET bytes = k.bytes + EXCLUDED.bytes;
      RETURN NULL;
    END
  $$`,
  ...["build_reservations", "previews", "test_runs"].flatMap((table) => [
    `ALTER TABLE ${table} ADD COLUMN metadata_bytes double precision`,
    `CREATE TRIGGER ${table}_metadata_inserted AFTER INSERT ON ${table}
      REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_metadata()`,
    `CREATE TRIGGER ${table}_metadata_deleted AFTER DELETE ON ${table}
      REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_metadata()`
  ])
]
