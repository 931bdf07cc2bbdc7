/**
 * Writes builds and reservations with one statement for each commit. Its first part changes the build only at the
 * version that the decision was made from, and the other parts write from what the first returned. So nothing is
 * written when the version has changed.
 */
import { DateTime, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { BuildDeclaration, type Build } from "../../core/model/Build.ts"
import type { BuildStore } from "../../core/ports/BuildStore.ts"
import { committed, keeping } from "./commits.ts"
import { contentsIn } from "./contents.ts"
import { digest } from "../sql/digest.ts"
import { encodeStored, storingHosted, sharedStaysHosted } from "../sql/hostedObjects.ts"
import { recording } from "../sql/auditLog.ts"
import { posting } from "../sql/outbox.ts"
import { digestsText } from "../sql/rows.ts"
import { orNull } from "../sql/orNull.ts"
import { room } from "../sql/openReservations.ts"
import { countedAtFinalize, countedValues } from "../sql/usageColumns.ts"

const encodeDeclaration = Schema.encodeSync(Schema.fromJsonString(BuildDeclaration), { disableChecks: true })

export const buildCommits = (sql: SqlClient.SqlClient) => {
  const insertBuild = (build: Build, condition: Statement.Fragment) => sql`
    INSERT INTO builds (
      id, account_id, repository_id, branch, branch_digest, platform, commit_sha, created_at, current_upload, ready_at,
      ready_by, reserved_by, reserved_until, version
    )
    SELECT
      ${build.id}, ${build.accountId}, ${build.repositoryId}, ${build.branch}, ${digest(build.branch)},
      ${build.platform}, ${build.commitSha}, ${DateTime.toDateUtc(build.createdAt)}, ${build.currentUpload},
      ${orNull(build.readyAt)}::timestamptz, ${build.readyBy ?? null}, ${build.reservedBy},
      ${DateTime.toDateUtc(build.reservedUntil)}, ${build.version}
    WHERE ${condition}
    ON CONFLICT DO NOTHING
    RETURNING id
  `

  const updateBuild = (build: Build, condition: Statement.Fragment) => sql`
    UPDATE builds SET
      current_upload = ${build.currentUpload}, ready_at = ${orNull(build.readyAt)}, ready_by = ${build.readyBy ?? null},
      reserved_by = ${build.reservedBy}, reserved_until = ${DateTime.toDateUtc(build.reservedUntil)},
      version = ${build.version}
    WHERE id = ${build.id} AND version = ${build.version - 1} AND ${condition}
    RETURNING id
  `

  return {
    commitReserve: ({ build, once, reservation, ...bounds }: Parameters<BuildStore["Service"]["commitReserve"]>[0]) => {
      const stored = (build.version === 1 ? insertBuild : updateBuild)(build, room(sql, reservation, bounds))
      return committed(
        sql`
          WITH stored AS (${stored})
          ${keeping(sql, once)}
          INSERT INTO build_reservations (
            id, token_hash, account_id, key_id, build_id, reserved_at, expires_at, finalized_at, hosted_prefix,
            decompressed_bytes, metadata_bytes, declared_bytes, stored_bytes, uploaded_bytes, declaration
          )
          SELECT
            ${reservation.id}, ${reservation.tokenHash}, ${reservation.accountId}, ${reservation.keyId ?? null}, stored.id,
            ${DateTime.toDateUtc(reservation.reservedAt)}, ${DateTime.toDateUtc(reservation.expiresAt)},
            ${orNull(reservation.finalizedAt)}::timestamptz, ${reservation.hostedPrefix ?? null},
            ${reservation.decompressedBytes ?? null}::double precision, ${reservation.metadataBytes ?? null}::double precision,
            ${countedValues(sql, reservation)}, ${encodeDeclaration(reservation.declaration)}::jsonb
          FROM stored
          RETURNING id
        `
      )
    },
    // A reservation is finalized only together with its build. So while the build's version is the same, the
    // reservation is in the same state as when the statement began.
    commitFinalize: ({
      build,
      entry,
      event,
      hosted,
      lost,
      reservation
    }: Parameters<BuildStore["Service"]["commitFinalize"]>[0]) => {
      const parts = { contents: contentsIn(sql), sql }
      const shared = sharedStaysHosted(parts, reservation)
      return committed(sql`
        WITH ${shared.part} stored AS (${updateBuild(
          build,
          sql`EXISTS (SELECT 1 FROM build_reservations WHERE id = ${reservation.id} AND finalized_at IS NULL)
            AND ${shared.condition}`
        )})
        , superseded AS (
          UPDATE build_reservations SET superseded_at = ${orNull(reservation.finalizedAt)}
          WHERE build_id = ${build.id} AND id <> ${reservation.id} AND finalized_at IS NOT NULL
            AND superseded_at IS NULL AND EXISTS (SELECT 1 FROM stored)
        )
        ${posting(sql, event)}
        ${recording(sql, entry)}
        ${storingHosted(parts, { hosted, lost })}
        UPDATE build_reservations SET
          finalized_at = ${orNull(reservation.finalizedAt)}, hosted_prefix = ${reservation.hostedPrefix ?? null},
          digests = ${digestsText(reservation)}, stored = ${encodeStored(reservation)}::jsonb, ${countedAtFinalize(sql, reservation)}
        FROM stored
        WHERE build_reservations.id = ${reservation.id}
        RETURNING build_reservations.id
      `)
    }
  }
}
