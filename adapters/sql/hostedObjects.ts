import { DateTime, Effect } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import type { SqlError, Statement } from "effect/sql"
import type { HostedObject, ObjectKey } from "../../core/model/HostedObject.ts"
import { StoredUpload, type Reservation } from "../../core/model/Reservation.ts"
import { Conflict } from "../../core/ports/WriteFailure.ts"
import { sharedWithOthers } from "../../core/rules/reservations.ts"
import { byCodeUnit } from "../../core/rules/pages.ts"
import type { Engine } from "./Engine.ts"
import type { Build, BuildReservation } from "../../core/model/Build.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { decodeRows, digest, lineDigest, orNull } from "./values.ts"
import { digestsText } from "./rows.ts"
import { countedAtFinalize, countedValues } from "./usage.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"

/** What a finalize hosts: see `BuildStore.commitFinalize`. */
interface Contents {
  readonly hosted?: ReadonlyArray<HostedObject> | undefined
  readonly lost?: ReadonlyArray<ObjectKey> | undefined
}

type Parts = Pick<Engine, "contents" | "sql">

const encode = jsonEncoder(StoredUpload)

/** How an upload is stored, as its column takes it. */
const encodeStored = ({ stored }: Pick<Reservation, "stored">): string | null =>
  stored === undefined ? null : encode(stored)

/** The rows of a list of keys, under the name `asked`. */
const keysIn = ({ contents }: Pick<Engine, "contents">, keys: ReadonlyArray<string>) =>
  contents(JSON.stringify(keys.map((objectKey) => ({ objectKey }))))

/**
 * The statement that keeps hosted objects. `when` follows its `FROM` clause, and `unlessHosted` says what becomes of a content that
 * is hosted already. They are written in one order everywhere, so that two commits never wait for each other.
 */
const insertion = (
  { contents, sql }: Parts,
  hosted: ReadonlyArray<HostedObject>,
  { unlessHosted, when }: Readonly<Record<"unlessHosted" | "when", Statement.Fragment>>
) => {
  const sorted = hosted.toSorted((a, b) => byCodeUnit(a.contentHash, b.contentHash) || a.sizeBytes - b.sizeBytes)
  return sql`
    INSERT INTO hosted_objects (account_id, content_hash, size_bytes, object_key)
    SELECT asked.account_id, asked.content_hash, asked.size_bytes, asked.object_key
    FROM ${contents(JSON.stringify(sorted))} ${when}
    ON CONFLICT (account_id, content_hash, size_bytes) DO UPDATE SET ${unlessHosted}
  `
}

const isLost = ({ sql }: Parts, { lost = [] }: Contents): Statement.Fragment =>
  lost.length === 0 ? sql.literal("false") : sql.in("hosted_objects.object_key", lost)

/** The hosted objects with these keys. */
const among = (engine: Parts, keys: ReadonlyArray<string>): Statement.Fragment =>
  engine.sql`FROM ${keysIn(engine, keys)} JOIN hosted_objects h ON h.object_key = asked.object_key`

/** Whether all that an upload shares with others is hosted. */
export const sharedIsHosted = (engine: Parts, upload: Pick<Reservation, "id" | "stored">): Statement.Fragment => {
  const keys = sharedWithOthers(upload)
  return keys.length === 0
    ? engine.sql.literal("true")
    : engine.sql`(SELECT count(*) ${among(engine, keys)}) = ${keys.length}`
}

/** The same, with a further part of a statement that begins `WITH`; what is shared stays hosted until the statement is committed. */
export const sharedStaysHosted = (engine: Parts, upload: Pick<Reservation, "id" | "stored">) => {
  const { sql } = engine
  const keys = sharedWithOthers(upload)
  return keys.length === 0
    ? { part: sql.literal(""), condition: sql.literal("true") }
    : {
        part: sql`shared AS (
          SELECT h.object_key ${among(engine, keys)} ORDER BY h.content_hash, h.size_bytes FOR SHARE OF h
        ),`,
        condition: sql`(SELECT count(*) FROM shared) = ${keys.length}`
      }
}

/**
 * Keeps hosted objects, if there are any, in the transaction that is under way, each in the place of a lost one of the same content.
 * `Conflict` where one is hosted that isn't lost.
 */
export const storeHosted = (engine: Parts, contents: Contents): Effect.Effect<void, Conflict | SqlError.SqlError> => {
  const { hosted = [] } = contents
  const { sql } = engine
  if (hosted.length === 0) return Effect.void
  const unlessHosted = sql`object_key = excluded.object_key WHERE ${isLost(engine, contents)} RETURNING object_key`
  // Without a condition, SQLite would take ON CONFLICT for that of a join.
  return insertion(engine, hosted, { unlessHosted, when: sql`WHERE true` }).pipe(
    Effect.filterOrFail(
      (rows) => rows.length === hosted.length,
      () => new Conflict()
    ),
    Effect.asVoid
  )
}

/**
 * A further part of a statement that begins `WITH stored AS (…)`: the same when `stored` has a row. What is hosted and isn't lost
 * gets no key, which the check constraint `hosted_objects_once` refuses, so the whole statement is undone.
 */
export const storingHosted = (engine: Parts, contents: Contents): Statement.Fragment => {
  const { hosted = [] } = contents
  const { sql } = engine
  if (hosted.length === 0) return sql.literal("")
  const unlessHosted = sql`object_key = CASE WHEN ${isLost(engine, contents)} THEN excluded.object_key ELSE '' END`
  return sql`, stored_objects AS (${insertion(engine, hosted, { unlessHosted, when: sql`WHERE EXISTS (SELECT 1 FROM stored)` })})`
}

/** The keys among these of objects that an upload shares, or still can. */
const sharedAmong = (engine: Parts, keys: ReadonlyArray<string>) => engine.sql<{ readonly object_key: string }>`
  SELECT asked.object_key FROM ${keysIn(engine, keys)}
  WHERE EXISTS (SELECT 1 FROM hosted_objects h WHERE h.object_key = asked.object_key)
    OR EXISTS (SELECT 1 FROM shared_objects s WHERE s.object_key = asked.object_key)
`

// The statements that write builds and uploads, of which each engine makes its commits.

type Upload = BuildReservation | Preview

export const uploadStatements = ({ jsonText, sql }: Pick<Engine, "jsonText" | "sql">) => {
  const time = (at: DateTime.Utc | undefined) => sql`CAST(${orNull(at)} AS timestamptz)`
  const amount = (bytes: number | undefined) => sql`CAST(${bytes ?? null} AS double precision)`

  return {
    /** Inserts a build under a condition, or changes it at the version before this one; the id is returned if it did. */
    storeBuild: (build: Build, condition: Statement.Fragment) =>
      build.version === 1
        ? sql`
            INSERT INTO builds (
              id, account_id, repository_id, branch, branch_digest, platform, commit_sha, app, line_digest, created_at, current_upload,
              ready_at, ready_by, reserved_by, reserved_until, version
            )
            SELECT
              ${build.id}, ${build.accountId}, ${build.repositoryId}, ${build.branch}, ${digest(build.branch)},
              ${build.platform}, ${build.commitSha}, ${build.app ?? null}, ${lineDigest(build)}, ${time(build.createdAt)}, ${build.currentUpload},
              ${time(build.readyAt)}, ${build.readyBy ?? null}, ${build.reservedBy}, ${time(build.reservedUntil)},
              ${build.version}
            WHERE ${condition}
            ON CONFLICT DO NOTHING
            RETURNING id
          `
        : sql`
            UPDATE builds SET
              current_upload = ${build.currentUpload}, ready_at = ${orNull(build.readyAt)},
              ready_by = ${build.readyBy ?? null}, reserved_by = ${build.reservedBy},
              reserved_until = ${orNull(build.reservedUntil)}, version = ${build.version}
            WHERE id = ${build.id} AND version = ${build.version - 1} AND ${condition}
            RETURNING id
          `,
    /** The columns that the tables of uploads share, and their values to insert. */
    columns: sql.literal(
      "id, token_hash, account_id, key_id, reserved_at, expires_at, finalized_at, hosted_prefix, decompressed_bytes, " +
        "metadata_bytes, declared_bytes, stored_bytes, uploaded_bytes, declaration"
    ),
    values: (upload: Upload, declaration: string) => sql`
      ${upload.id}, ${upload.tokenHash}, ${upload.accountId}, ${upload.keyId ?? null}, ${time(upload.reservedAt)},
      ${time(upload.expiresAt)}, ${time(upload.finalizedAt)}, ${upload.hostedPrefix ?? null},
      ${amount(upload.decompressedBytes)}, ${amount(upload.metadataBytes)}, ${countedValues(sql, upload)},
      ${jsonText(declaration)}
    `,
    /** What a finalize assigns to an upload. */
    finalized: (upload: Upload) => sql`
      finalized_at = ${orNull(upload.finalizedAt)}, hosted_prefix = ${upload.hostedPrefix ?? null},
      digests = ${digestsText(upload)}, stored = ${jsonText(encodeStored(upload))}, ${countedAtFinalize(sql, upload)}
    `
  }
}

export const objectDeletionStore = (engine: Engine) => {
  const { amongLocked, columns, entities, orUnavailable, orWriteFailure, redoable, sql } = engine
  const removal = sql.literal(columns("removal", "removals"))
  const rows = decodeRows({ removal: entities.removal })
  const all = (found: ReadonlyArray<object>) => Effect.map(rows(found), (some) => some.map(({ removal }) => removal))

  return ObjectDeletionStore.of({
    claim: ({ limit, now, until }) =>
      sql`
        UPDATE removals SET due_at = ${DateTime.toDateUtc(until)}
        WHERE ${amongLocked(
          "id",
          sql`SELECT id FROM removals WHERE due_at <= ${DateTime.toDateUtc(now)} ORDER BY due_at, id LIMIT ${limit}`
        )}
        RETURNING ${removal}
      `.pipe(
        Effect.flatMap(all),
        Effect.map((taken) => taken.toSorted((a, b) => byCodeUnit(a.id, b.id))),
        orWriteFailure,
        redoable
      ),
    postpone: (ids, dueAt) =>
      ids.length === 0
        ? Effect.void
        : sql`UPDATE removals SET due_at = ${DateTime.toDateUtc(dueAt)} WHERE ${sql.in("id", ids)}`.pipe(
            Effect.asVoid,
            orWriteFailure,
            redoable
          ),
    complete: (ids) =>
      ids.length === 0
        ? Effect.void
        : sql`DELETE FROM removals WHERE ${sql.in("id", ids)}`.pipe(Effect.asVoid, orWriteFailure, redoable),
    findShared: (keys) =>
      keys.length === 0
        ? Effect.succeed([])
        : sharedAmong(engine, keys).pipe(
            Effect.map((rows) => rows.map((row) => row.object_key)),
            orUnavailable
          ),
    list: ({ after, limit }) =>
      sql`SELECT ${removal} FROM removals WHERE id > ${after ?? ""} ORDER BY id LIMIT ${limit}`.pipe(
        Effect.flatMap(all),
        orUnavailable
      )
  })
}
