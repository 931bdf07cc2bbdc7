/**
 * Writes builds and reservations with one statement for each commit. Its first part changes the build only at the
 * version that the decision was made from, and the other parts write from what the first returned. So nothing is
 * written when the version has changed.
 */
import { Schema } from "effect"
import { BuildDeclaration } from "../../core/model/Build.ts"
import type { BuildStore } from "../../core/ports/BuildStore.ts"
import type { Engine } from "../sql/Engine.ts"
import { committed, keeping } from "./commits.ts"
import { storingHosted, sharedStaysHosted } from "../sql/hostedObjects.ts"
import { recording } from "../sql/auditLog.ts"
import { posting } from "../sql/outbox.ts"
import { orNull } from "../sql/orNull.ts"
import { uploadStatements } from "../sql/uploads.ts"
import { room } from "../sql/usage.ts"

const encodeDeclaration = Schema.encodeSync(Schema.fromJsonString(BuildDeclaration), { disableChecks: true })

export const buildCommits = (engine: Engine): Pick<BuildStore["Service"], "commitFinalize" | "commitReserve"> => {
  const { sql } = engine
  const { columns, finalized, storeBuild, values } = uploadStatements(engine)

  return {
    commitReserve: ({ build, once, reservation, ...bounds }) =>
      committed(
        sql`
          WITH stored AS (${storeBuild(build, room(sql, reservation.accountId, reservation.reservedAt, bounds))})
          ${keeping(sql, once)}
          INSERT INTO build_reservations (build_id, ${columns})
          SELECT stored.id, ${values(reservation, encodeDeclaration(reservation.declaration))}
          FROM stored
          RETURNING id
        `
      ),
    // A reservation is finalized only together with its build. So while the build's version is the same, the
    // reservation is in the same state as when the statement began.
    commitFinalize: ({ build, entry, event, hosted, lost, reservation }) => {
      const shared = sharedStaysHosted(engine, reservation)
      return committed(sql`
        WITH ${shared.part} stored AS (${storeBuild(
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
        ${storingHosted(engine, { hosted, lost })}
        UPDATE build_reservations SET ${finalized(reservation)}
        FROM stored
        WHERE build_reservations.id = ${reservation.id}
        RETURNING build_reservations.id
      `)
    }
  }
}
