/**
 * Writes builds and reservations with one transaction for each commit. Its first statement changes the build only at
 * the version that the decision was made from; when the version has changed, nothing is written.
 */
import { Effect, Schema } from "effect"
import { BuildDeclaration } from "../../core/model/Build.ts"
import type { BuildStore } from "../../core/ports/BuildStore.ts"
import { recordIfAny } from "../sql/auditLog.ts"
import type { Engine } from "../sql/Engine.ts"
import { storeHosted, sharedIsHosted } from "../sql/hostedObjects.ts"
import { orConflict } from "../sql/orConflict.ts"
import { postIfAny } from "../sql/outbox.ts"
import { orNull } from "../sql/orNull.ts"
import { uploadStatements } from "../sql/uploads.ts"
import { room } from "../sql/usage.ts"
import { keep } from "./commits.ts"

const encodeDeclaration = Schema.encodeSync(Schema.fromJsonString(BuildDeclaration), { disableChecks: true })

export const buildCommits = (engine: Engine): Pick<BuildStore["Service"], "commitFinalize" | "commitReserve"> => {
  const { inTransaction, orWriteFailure, sql } = engine

  const { columns, finalized, storeBuild, values } = uploadStatements(engine)

  return {
    commitReserve: ({ build, once, reservation, ...bounds }) =>
      orConflict(storeBuild(build, room(sql, reservation.accountId, reservation.reservedAt, bounds))).pipe(
        Effect.andThen(sql`
          INSERT INTO build_reservations (build_id, ${columns})
          SELECT ${build.id}, ${values(reservation, encodeDeclaration(reservation.declaration))}
        `),
        Effect.andThen(keep(engine, once)),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      ),
    commitFinalize: ({ build, entry, event, hosted, lost, reservation }) =>
      orConflict(storeBuild(build, sharedIsHosted(engine, reservation))).pipe(
        Effect.andThen(
          orConflict(sql`
            UPDATE build_reservations SET ${finalized(reservation)}
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
