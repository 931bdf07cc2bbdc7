/**
 * The part of the schema that has an account's equal bytes stored once. Triggers list what uploads share and count what is stored, so
 * that whoever writes or deletes, and a restore, needn't know of it.
 */
import { monthOf, part } from "./usageSteps.ts"

/** Bytes of an upload: as it is stored, or as it was declared where that isn't known. */
const bytesOf = (row: string, which: "newBytes" | "ownBytes"): string =>
  `COALESCE((${row}.stored ->> '${which}')::double precision, ${row}.declared_bytes)`

const uploads = (table: string): ReadonlyArray<string> => [
  `ALTER TABLE ${table} ADD COLUMN stored jsonb`,
  // What an upload stored for others to share is counted by its object from now on.
  `UPDATE ${table} SET stored = jsonb_build_object('newBytes', declared_bytes, 'ownBytes', declared_bytes - COALESCE((
    SELECT sum(h.size_bytes) FROM hosted_objects h
    WHERE h.object_key >= hosted_prefix AND h.object_key < left(hosted_prefix, -1) || '0'
  ), 0), 'shared', '{}'::jsonb) WHERE finalized_at IS NOT NULL`
]

export const storedOnceSteps: ReadonlyArray<string> = [
  `DROP INDEX IF EXISTS hosted_objects_of_key`,
  `CREATE INDEX IF NOT EXISTS hosted_objects_by_key ON hosted_objects (object_key)`,
  `ALTER TABLE hosted_objects ADD CONSTRAINT hosted_objects_once CHECK (object_key <> '')`,
  `CREATE TABLE shared_objects (
    object_key text COLLATE "C" NOT NULL,
    reservation_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (object_key, reservation_id)
  )`,
  `CREATE INDEX shared_objects_of_upload ON shared_objects (reservation_id)`,
  ...uploads("build_reservations"),
  ...uploads("previews"),
  `CREATE OR REPLACE FUNCTION count_finalized_upload() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO account_usage AS u (account_id, month, part, bytes, previews, runs)
      VALUES (
        NEW.account_id, ${monthOf("NEW.finalized_at")}, ${part}, ${bytesOf("NEW", "newBytes")},
        CASE WHEN TG_TABLE_NAME = 'previews' THEN 1 ELSE 0 END, 0
      )
      ON CONFLICT (account_id, month, part) DO UPDATE SET
        bytes = u.bytes + EXCLUDED.bytes, previews = u.previews + EXCLUDED.previews;
      INSERT INTO account_kept AS k (account_id, part, bytes) VALUES (NEW.account_id, ${part}, ${bytesOf("NEW", "ownBytes")})
      ON CONFLICT (account_id, part) DO UPDATE SET bytes = k.bytes + EXCLUDED.bytes;
      IF NEW.stored -> 'shared' <> '{}'::jsonb THEN
        INSERT INTO shared_objects (object_key, reservation_id)
        SELECT DISTINCT value, NEW.id FROM jsonb_each_text(NEW.stored -> 'shared');
      END IF;
      RETURN NULL;
    END
  $$`,
  `CREATE OR REPLACE FUNCTION count_deleted_upload() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      INSERT INTO account_kept AS k (account_id, part, bytes) VALUES (OLD.account_id, ${part}, -${bytesOf("OLD", "ownBytes")})
      ON CONFLICT (account_id, part) DO UPDATE SET bytes = k.bytes + EXCLUDED.bytes;
      IF OLD.stored -> 'shared' <> '{}'::jsonb THEN
        DELETE FROM shared_objects WHERE reservation_id = OLD.id;
      END IF;
      RETURN NULL;
    END
  $$`,
  `CREATE FUNCTION count_hosted_objects() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NOT EXISTS (SELECT 1 FROM changed) THEN RETURN NULL; END IF;
      INSERT INTO account_kept AS k (account_id, part, bytes)
      SELECT account_id, ${part}, sum(CASE WHEN TG_OP = 'INSERT' THEN size_bytes ELSE -size_bytes END)
      FROM changed GROUP BY account_id
      ON CONFLICT (account_id, part) DO UPDATE SET bytes = k.bytes + EXCLUDED.bytes;
      RETURN NULL;
    END
  $$`,
  `CREATE TRIGGER hosted_objects_inserted AFTER INSERT ON hosted_objects
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_hosted_objects()`,
  `CREATE TRIGGER hosted_objects_deleted AFTER DELETE ON hosted_objects
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION count_hosted_objects()`
]
