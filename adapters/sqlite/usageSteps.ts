/**
 * The part of the schema that counts what accounts use. Triggers count in the commit of whatever is counted, so that whoever
 * writes or deletes, and a restore, needn't know of it.
 */
/** The bytes that a declaration of an upload, JSON, declares together. */
export const declaredBytes = (declaration: string): string => `
  json_extract(${declaration}, '$.bundleSizeBytes')
  + COALESCE((SELECT SUM(value ->> 'sizeBytes') FROM json_each(${declaration}, '$.files')), 0)
  + COALESCE((SELECT SUM(value ->> 'sizeBytes') FROM json_each(${declaration}, '$.recordings')), 0)`

export const monthOf = (time: string): string => `strftime('%Y-%m', ${time} / 1000.0, 'unixepoch')`

/** Counts uploads of a table as they are finalized, and takes what is deleted from what is kept. */
const countUploads = (table: string, previews: 0 | 1): ReadonlyArray<string> => {
  const count = (row: string, bytes: string) => `
    INSERT INTO account_usage (account_id, month, bytes, previews, runs)
    SELECT ${row}.account_id, ${monthOf(`${row}.finalized_at`)}, ${bytes}, ${previews}, 0
    WHERE ${row}.finalized_at IS NOT NULL
    ON CONFLICT (account_id, month) DO UPDATE SET
      bytes = bytes + excluded.bytes, previews = previews + excluded.previews;
    ${keep(row, bytes)}`
  const keep = (row: string, bytes: string) => `
    INSERT INTO account_kept (account_id, bytes)
    SELECT ${row}.account_id, ${bytes} WHERE ${row}.finalized_at IS NOT NULL
    ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;`
  return [
    `ALTER TABLE ${table} ADD COLUMN declared_bytes INTEGER`,
    `UPDATE ${table} SET declared_bytes = ${declaredBytes("declaration")}`,
    `CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN
      UPDATE ${table} SET declared_bytes = ${declaredBytes("NEW.declaration")} WHERE id = NEW.id;
      ${count("NEW", `(${declaredBytes("NEW.declaration")})`)}
    END`,
    `CREATE TRIGGER ${table}_finalized AFTER UPDATE OF finalized_at ON ${table} WHEN OLD.finalized_at IS NULL BEGIN
      ${count("NEW", "NEW.declared_bytes")}
    END`,
    `CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN ${keep("OLD", "-OLD.declared_bytes")} END`
  ]
}

/** How many bytes, previews and runs an account had in each month, and how many bytes it keeps. */
export const usageSteps: ReadonlyArray<string> = [
  `CREATE TABLE account_usage (
    account_id TEXT NOT NULL,
    month TEXT NOT NULL,
    bytes INTEGER NOT NULL,
    previews INTEGER NOT NULL,
    runs INTEGER NOT NULL,
    PRIMARY KEY (account_id, month)
  ) STRICT, WITHOUT ROWID`,
  `CREATE TABLE account_kept (account_id TEXT PRIMARY KEY, bytes INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
  ...countUploads("build_reservations", 0),
  ...countUploads("previews", 1),
  `CREATE TRIGGER test_runs_inserted AFTER INSERT ON test_runs BEGIN
    INSERT INTO account_usage (account_id, month, bytes, previews, runs)
    VALUES (NEW.account_id, ${monthOf("NEW.created_at")}, 0, 0, 1)
    ON CONFLICT (account_id, month) DO UPDATE SET runs = runs + 1;
  END`,
  `INSERT INTO account_usage (account_id, month, bytes, previews, runs)
    SELECT account_id, month, SUM(bytes), SUM(previews), SUM(runs) FROM (
      SELECT account_id, ${monthOf("finalized_at")} AS month, declared_bytes AS bytes, 0 AS previews, 0 AS runs
      FROM build_reservations WHERE finalized_at IS NOT NULL
      UNION ALL
      SELECT account_id, ${monthOf("finalized_at")}, declared_bytes, 1, 0 FROM previews WHERE finalized_at IS NOT NULL
      UNION ALL
      SELECT account_id, ${monthOf("created_at")}, 0, 0, 1 FROM test_runs
    ) GROUP BY account_id, month`,
  `INSERT INTO account_kept (account_id, bytes) SELECT account_id, SUM(bytes) FROM account_usage GROUP BY account_id`,
  `CREATE TABLE account_quotas (
    account_id TEXT PRIMARY KEY REFERENCES accounts (id),
    bytes_kept INTEGER,
    bytes_per_month INTEGER,
    previews_per_month INTEGER,
    runs_per_month INTEGER
  ) STRICT, WITHOUT ROWID`
]

/**
 * What an upload or a run counts as metadata, in what its account keeps from when it is stored until it is deleted. Without a value, as hosts
 * of an earlier version store it, it counts nothing.
 */
export const metadataSteps: ReadonlyArray<string> = ["build_reservations", "previews", "test_runs"].flatMap((table) => {
  const counting = (event: "INSERT" | "DELETE", row: "NEW" | "OLD", bytes: string) =>
    `CREATE TRIGGER ${table}_metadata_${event.toLowerCase()} AFTER ${event} ON ${table}
      WHEN ${row}.metadata_bytes IS NOT NULL
    BEGIN
      INSERT INTO account_kept (account_id, bytes) VALUES (${row}.account_id, ${bytes})
      ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;
    END`
  return [
    `ALTER TABLE ${table} ADD COLUMN metadata_bytes INTEGER`,
    counting("INSERT", "NEW", "NEW.metadata_bytes"),
    counting("DELETE", "OLD", "-OLD.metadata_bytes")
  ]
})
