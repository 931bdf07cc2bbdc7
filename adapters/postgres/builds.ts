/**
 * Writes builds and reservations with one statement for each commit. Its first part changes the build only at the
 * version that the decision was made from, and the other parts write from what the first returned. So nothing is
 * written when the version has changed.
 */
import { DateTime, Effect, Option, Schema } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import { BuildDeclaration } from "../../core/model/Build.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import type { Engine } from "../sql/Engine.ts"
import { committed, storeOnce } from "./engine.ts"
import { sharedStaysHosted, storingHosted, uploadStatements } from "../sql/hostedObjects.ts"
import { recording } from "../sql/auditLog.ts"
import { posting } from "../sql/outbox.ts"
import { decodeFirst, decodeRows, digest, lineDigest, orNull } from "../sql/values.ts"
import { buildReads } from "../sql/builds.ts"
import { buildDeletion, previewDeletion } from "../sql/deletions.ts"
import { keyDigest } from "../sql/repositories.ts"
import type { Statement } from "effect/sql"
import { PreviewDeclaration } from "../../core/model/Preview.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"

const encodeDeclaration = jsonEncoder(BuildDeclaration)

const buildCommits = (engine: Engine): Pick<BuildStore["Service"], "commitFinalize" | "commitReserve"> => {
  const { room, sql } = engine
  const { columns, finalized, storeBuild, values } = uploadStatements(engine)

  return {
    commitReserve: ({ build, once, reservation, ...bounds }) =>
      committed(
        sql`
          WITH stored AS (${storeBuild(build, room(reservation.accountId, reservation.reservedAt, bounds))})
          ${storeOnce(sql, once)}
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

export const buildStore = (engine: Engine) => {
  const { orUnavailable, sql } = engine
  const { full, oneView, reads } = buildReads(engine)

  return BuildStore.of({
    ...reads,
    // The rule `latestBuild` in two parts, each answered from the end of an index: builds with a live reservation are
    // ordered by that reservation, and of the others the one whose finalizing reservation is the last counts.
    findLatest: (account, key, branch, platform, now, app) => {
      const line = sql.and([
        sql`repository_id = r.id AND branch_digest = ${digest(branch)} AND platform = ${platform}`,
        ...(app === undefined ? [] : [sql`line_digest = ${lineDigest({ branch, app })}`])
      ])
      const at = DateTime.toDateUtc(now)
      return sql`
        SELECT ${full}
        FROM repositories r
        CROSS JOIN LATERAL (
          SELECT * FROM (
            (SELECT *, reserved_by AS placed_by FROM builds WHERE ${line} AND reserved_until > ${at})
            UNION ALL
            (SELECT *, ready_by AS placed_by FROM builds WHERE ${line} AND reserved_until <= ${at}
              AND ready_by IS NOT NULL ORDER BY ready_by DESC LIMIT 1)
          ) counting
          ORDER BY placed_by DESC LIMIT 1
        ) b
        JOIN build_reservations v ON v.id = b.current_upload
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
      `.pipe(Effect.flatMap(oneView), orUnavailable)
    },
    ...buildCommits(engine),
    ...buildDeletion(engine)
  })
}

const encodePreview = jsonEncoder(PreviewDeclaration)

const Usage = Schema.Struct({ month: Schema.String, billedTestRuns: Schema.Int })

export const previewStore = (engine: Engine) => {
  const { columns, entities, orUnavailable, room, sql } = engine
  const uploads = uploadStatements(engine)
  const preview = sql.literal(columns("preview", "previews"))
  const one = decodeFirst({ preview: entities.preview })
  const months = decodeRows({ usage: Usage })

  const find = (condition: Statement.Fragment) =>
    sql`SELECT ${preview} FROM previews WHERE ${condition}`.pipe(
      Effect.flatMap(one),
      Effect.map(Option.map((row) => row.preview)),
      orUnavailable
    )

  return PreviewStore.of({
    findByToken: (tokenHash) => find(sql`token_hash = ${tokenHash}`),
    findByShareId: (account, shareId) => find(sql`share_id = ${shareId} AND account_id = ${account}`),
    commitReserve: ({ once, preview, ...bounds }) =>
      committed(sql`
        WITH stored AS (
          INSERT INTO previews (share_id, repository_id, ${uploads.columns})
          SELECT
            ${preview.shareId}, ${preview.repositoryId ?? null},
            ${uploads.values(preview, encodePreview(preview.declaration))}
          WHERE ${room(preview.accountId, preview.reservedAt, bounds)}
          RETURNING id
        )
        ${storeOnce(sql, once)}
        SELECT id FROM stored
      `),
    commitFinalize: ({ billed, entry, event, hosted, lost, preview }) => {
      const shared = sharedStaysHosted(engine, preview)
      return committed(sql`
        WITH ${shared.part} stored AS (
          UPDATE previews SET ${uploads.finalized(preview)}
          WHERE id = ${preview.id} AND finalized_at IS NULL AND ${shared.condition}
          RETURNING id, account_id, finalized_at
        )
        ${sql.literal(
          billed
            ? `, billed AS (
                INSERT INTO billed_test_runs (preview_id, account_id, billed_at)
                SELECT id, account_id, finalized_at FROM stored
              )`
            : ""
        )}
        ${posting(sql, event)}
        ${recording(sql, entry)}
        ${storingHosted(engine, { hosted, lost })}
        SELECT id FROM stored
      `)
    },
    ...previewDeletion(engine),
    usage: (account) =>
      sql`
        SELECT to_char(billed_at AT TIME ZONE 'UTC', 'YYYY-MM') AS "usage.month",
          count(*)::integer AS "usage.billedTestRuns"
        FROM billed_test_runs WHERE account_id = ${account}
        GROUP BY 1 ORDER BY 1 DESC
      `.pipe(
        Effect.flatMap(months),
        Effect.map((rows) => rows.map((row) => row.usage)),
        orUnavailable
      )
  })
}
