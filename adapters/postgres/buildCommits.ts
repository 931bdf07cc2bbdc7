/**
 * How builds and reservations are written: one statement a commit. Its first part changes the build under the version
 * that the decision was made from, its second part writes the reservation from what the first returned. So when the
 * version has moved, neither is written.
 */
import { DateTime, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { SqlError, Statement } from "effect/sql"
import { BuildDeclaration } from "../../core/model/Build.ts"
import type { Build, BuildReservation } from "../../core/model/Build.ts"
import { Conflict } from "../../core/ports/Conflict.ts"
import { digest } from "./digest.ts"
import { orNull } from "./orNull.ts"
import { orUnavailable } from "./unavailable.ts"

interface Change {
  readonly build: Build
  readonly reservation: BuildReservation
}

const encodeDeclaration = Schema.encodeSync(Schema.fromJsonString(BuildDeclaration), { disableChecks: true })

/** Runs a commit that returns a row when it was made, and none when the state has moved. */
const committed = (statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
  statement.pipe(
    Effect.filterOrFail(
      (rows) => rows.length > 0,
      () => new Conflict()
    ),
    // Where a transaction may not see what another one did meanwhile, the engine says so in this way.
    Effect.catchReason("SqlError", "SerializationError", () => Effect.fail(new Conflict())),
    Effect.asVoid,
    orUnavailable
  )

export const buildCommits = (sql: SqlClient.SqlClient) => {
  const insertBuild = (build: Build) => sql`
    INSERT INTO builds (
      id, account_id, repository_id, branch, branch_digest, platform, commit_sha, created_at, shown, ready_at,
      ready_by, reserved_by, reserved_until, version
    )
    VALUES (
      ${build.id}, ${build.accountId}, ${build.repositoryId}, ${build.branch}, ${digest(build.branch)},
      ${build.platform}, ${build.commitSha}, ${DateTime.toDateUtc(build.createdAt)}, ${build.shown},
      ${orNull(build.readyAt)}, ${build.readyBy ?? null}, ${build.reservedBy},
      ${DateTime.toDateUtc(build.reservedUntil)}, ${build.version}
    )
    ON CONFLICT DO NOTHING
    RETURNING id
  `

  const updateBuild = (build: Build, condition: Statement.Fragment) => sql`
    UPDATE builds SET
      shown = ${build.shown}, ready_at = ${orNull(build.readyAt)}, ready_by = ${build.readyBy ?? null},
      reserved_by = ${build.reservedBy}, reserved_until = ${DateTime.toDateUtc(build.reservedUntil)},
      version = ${build.version}
    WHERE id = ${build.id} AND version = ${build.version - 1} AND ${condition}
    RETURNING id
  `

  return {
    commitReserve: ({ build, reservation }: Change) =>
      committed(
        sql`
          WITH stored AS (${build.version === 1 ? insertBuild(build) : updateBuild(build, sql.literal("true"))})
          INSERT INTO build_reservations (
            id, token_hash, account_id, build_id, reserved_at, expires_at, finalized_at, hosted_prefix, declaration
          )
          SELECT
            ${reservation.id}, ${reservation.tokenHash}, ${reservation.accountId}, stored.id,
            ${DateTime.toDateUtc(reservation.reservedAt)}, ${DateTime.toDateUtc(reservation.expiresAt)},
            ${orNull(reservation.finalizedAt)}::timestamptz, ${reservation.hostedPrefix ?? null},
            ${encodeDeclaration(reservation.declaration)}::jsonb
          FROM stored
          RETURNING id
        `
      ),
    // A reservation changes only together with its build, so while the build's version stands the reservation is as
    // it was when the statement began.
    commitFinalize: ({ build, reservation }: Change) =>
      committed(sql`
        WITH stored AS (${updateBuild(
          build,
          sql`EXISTS (SELECT 1 FROM build_reservations WHERE id = ${reservation.id} AND finalized_at IS NULL)`
        )})
        UPDATE build_reservations SET
          finalized_at = ${orNull(reservation.finalizedAt)}, hosted_prefix = ${reservation.hostedPrefix ?? null}
        FROM stored
        WHERE build_reservations.id = ${reservation.id}
        RETURNING build_reservations.id
      `)
  }
}
