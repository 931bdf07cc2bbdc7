/**
 * Writes builds and reservations with one transaction for each commit. Its first statement changes the build only at
 * the version that the decision was made from; when the version has changed, nothing is written.
 */
import { DateTime, Effect, Schema } from "effect"
import type { Statement } from "effect/sql"
import { BuildDeclaration, type Build } from "../../core/model/Build.ts"
import type { BuildStore } from "../../core/ports/BuildStore.ts"
import { recordIfAny } from "../sql/auditLog.ts"
import { digest } from "../sql/digest.ts"
import type { Engine } from "../sql/Engine.ts"
import { encodeStored, storeHosted, sharedIsHosted } from "../sql/hostedObjects.ts"
import { orConflict } from "../sql/orConflict.ts"
import { postIfAny } from "../sql/outbox.ts"
import { digestsText } from "../sql/rows.ts"
import { orNull } from "../sql/orNull.ts"
import { room } from "../sql/openReservations.ts"
import { countedAtFinalize, countedValues } from "../sql/usageColumns.ts"
import { keep } from "./commits.ts"

const encodeDeclaration = Schema.encodeSync(Schema.fromJsonString(BuildDeclaration), { disableChecks: true })

export const buildCommits = (engine: Engine): Pick<BuildStore["Service"], "commitFinalize" | "commitReserve"> => {
  const { inTransaction, orWriteFailure, sql } = engine

  const insertBuild = (build: Build, condition: Statement.Fragment) => sql`
    INSERT INTO builds (
      id, account_id, repository_id, branch, branch_digest, platform, commit_sha, created_at, current_upload, ready_at,
      ready_by, reserved_by, reserved_until, version
    )
    SELECT
      ${build.id}, ${build.accountId}, ${build.repositoryId}, ${build.branch}, ${digest(build.branch)},
      ${build.platform}, ${build.commitSha}, ${DateTime.toDateUtc(build.createdAt)}, ${build.currentUpload},
      ${orNull(build.readyAt)}, ${build.readyBy ?? null}, ${build.reservedBy},
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
    commitReserve: ({ build, once, reservation, ...bounds }) =>
      orConflict((build.version === 1 ? insertBuild : updateBuild)(build, room(sql, reservation, bounds))).pipe(
        Effect.andThen(sql`
          INSERT INTO build_reservations (
            id, token_hash, account_id, key_id, build_id, reserved_at, expires_at, finalized_at, hosted_prefix,
            decompressed_bytes, metadata_bytes, declared_bytes, stored_bytes, uploaded_bytes, declaration
          )
          VALUES (
            ${reservation.id}, ${reservation.tokenHash}, ${reservation.accountId}, ${reservation.keyId ?? null},
            ${build.id}, ${DateTime.toDateUtc(reservation.reservedAt)}, ${DateTime.toDateUtc(reservation.expiresAt)},
            ${orNull(reservation.finalizedAt)}, ${reservation.hostedPrefix ?? null},
            ${reservation.decompressedBytes ?? null}, ${reservation.metadataBytes ?? null}, ${countedValues(sql, reservation)},
            ${encodeDeclaration(reservation.declaration)}
          )
        `),
        Effect.andThen(keep(engine, once)),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      ),
    commitFinalize: ({ build, entry, event, hosted, lost, reservation }) =>
      orConflict(updateBuild(build, sharedIsHosted(engine, reservation))).pipe(
        Effect.andThen(
          orConflict(sql`
            UPDATE build_reservations SET
              finalized_at = ${orNull(reservation.finalizedAt)}, hosted_prefix = ${reservation.hostedPrefix ?? null},
              digests = ${digestsText(reservation)}, stored = ${encodeStored(reservation)}, ${countedAtFinalize(sql, reservation)}
            WHERE id = ${reservation.id} AND finalized_at IS NULL
            RETURNING id
          `)
        ),
        Effect.andThen(sql`
          UPDATE build_reservations SET superseded_at = ${orNull(reservation.finalizedAt)}
          WHERE build_id = ${build.id} AND id <> ${reservation.id} AND finalized_at IS NOT NULL AND superseded_at IS NULL
        `),
        Effect.andThen(storeHosted(engine, { hosted, lost })),
        Effect.andThen(postIfAny(engine, event)),
        Effect.andThen(recordIfAny(engine, entry)),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      )
  }
}
