/**
 * The part of the schema that has an account's equal bytes stored once. Triggers list what uploads share and count what is stored, so
 * that whoever writes or deletes, and a restore, needn't know of it.
 */
import { declaredBytes, monthOf } from "./usageSteps.ts"

const keep = (account: string, bytes: string, when: string) => `
  INSERT INTO account_kept (account_id, bytes) SELECT ${account}, ${bytes} WHERE ${when}
  ON CONFLICT (account_id) DO UPDATE SET bytes = bytes + excluded.bytes;`

/** Bytes of an upload: as it is stored, or as it was declared where that isn't known. */
const bytesOf = (row: string, which: "newBytes" | "ownBytes", declared = `${row}.declared_bytes`): string =>
  `COALESCE(${row}.stored ->> '${which}', ${declared})`

const uploads = (table: string, previews: 0 | 1): ReadonlyArray<string> => {
  const count = (declared?: string) => `
    INSERT INTO account_usage (account_id, month, bytes, previews, runs)
    SELECT NEW.account_id, ${monthOf("NEW.finalized_at")}, ${bytesOf("NEW", "newBytes", declared)}, ${previews}, 0
    WHERE NEW.finalized_at IS NOT NULL
    ON CONFLICT (account_id, month) DO UPDATE SET
      bytes = bytes + excluded.bytes, previews = previews + excluded.previews;
    ${keep("NEW.account_id", bytesOf("NEW", "ownBytes", declared), "NEW.finalized_at IS NOT NULL")}
    INSERT INTO shared_objects (object_key, reservation_id)
    SELECT DISTINCT value, NEW.id FROM json_each(NEW.stored, '$.shared');`
  return [
    `ALTER TABLE ${table} ADD COLUMN stored TEXT`,
    // What an upload stored for others to share is counted by its object from now on.
    `UPDATE ${table} SET stored = json_object('newBytes', declared_bytes, 'ownBytes', declared_bytes - COALESCE((
      SELECT SUM(h.size_bytes) FROM hosted_objects h
      WHERE h.object_key >= hosted_prefix AND h.object_key < substr(hosted_prefix, 1, length(hosted_prefix) - 1) || '0'
    ), 0), 'shared', json('{}')) WHERE finalized_at IS NOT NULL`,
    `DROP TRIGGER ${table}_inserted`,
    `DROP TRIGGER ${table}_finalized`,
    `DROP TRIGGER ${table}_deleted`,
    `CREATE TRIGGER ${table}_inserted AFTER INSERT ON ${table} BEGIN
      UPDATE ${table} SET declared_bytes = ${declaredBytes("NEW.declaration")} WHERE id = NEW.id;
      ${count(`(${declaredBytes("NEW.declaration")})`)}
    END`,
    `CREATE TRIGGER ${table}_finalized AFTER UPDATE OF finalized_at ON ${table} WHEN OLD.finalized_at IS NULL BEGIN
      ${count()}
    END`,
    `CREATE TRIGGER ${table}_deleted AFTER DELETE ON ${table} BEGIN
      ${keep("OLD.account_id", `-${bytesOf("OLD", "ownBytes")}`, "OLD.finalized_at IS NOT NULL")}
      DELETE FROM shared_objects WHERE reservation_id = OLD.id;
    END`
  ]
}

export const storedOnceSteps: ReadonlyArray<string> = [
  `DROP INDEX hosted_objects_of_key`,
  `CREATE INDEX hosted_objects_by_key ON hosted_objects (object_key)`,
  `CREATE TABLE shared_objects (
    object_key TEXT NOT NULL,
    reservation_id TEXT NOT NULL,
    PRIMARY KEY (object_key, reservation_id)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX shared_objects_of_upload ON shared_objects (reservation_id)`,
  ...uploads("build_reservations", 0),
  ...uploads("previews", 1),
  `CREATE TRIGGER hosted_objects_inserted AFTER INSERT ON hosted_objects BEGIN
    ${keep("NEW.account_id", "NEW.size_bytes", "true")}
  END`,
  `CREATE TRIGGER hosted_objects_deleted AFTER DELETE ON hosted_objects BEGIN
    ${keep("OLD.account_id", "-OLD.size_bytes", "true")}
  END`
]
