/** The statements that write builds and uploads, of which each engine makes its commits. */
import type { DateTime } from "effect"
import type { Statement } from "effect/sql"
import type { Build, BuildReservation } from "../../core/model/Build.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { digest, lineDigest } from "./digest.ts"
import type { Engine } from "./Engine.ts"
import { encodeStored } from "./hostedObjects.ts"
import { orNull } from "./orNull.ts"
import { digestsText } from "./rows.ts"
import { countedAtFinalize, countedValues } from "./usageColumns.ts"

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
