/**
 * Triggers count what accounts use, by the amounts that `countedOf` of `core/rules/quotas.ts` gave each row. They count in the commit of
 * the row itself, for every writer, including a restore.
 */
import { storedAmounts, uploadTables } from "../sql/usageColumns.ts"

const addStored = (account: string, bytes: string): string => `
  INSERT INTO account_stored_bytes (account_id, bytes) VALUES (${account}, ${bytes})
  ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;`

const addToMonth = (time: string, bytes: string, previews: 0 | 1, runs: 0 | 1): string => `
  INSERT INTO account_usage (account_id, month, bytes, previews, runs)
  VALUES (NEW.account_id, strftime('%Y-%m', ${time} / 1000.0, 'unixepoch'), ${bytes}, ${previews}, ${runs})
  ON CONFLICT (account_id, month) DO UPDATE SET
    bytes = bytes + excluded.bytes, previews = previews + excluded.previews, runs = runs + excluded.runs;`

export const usageTriggers: ReadonlyArray<string> = [
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
