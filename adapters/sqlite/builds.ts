/**
 * Writes builds and reservations with one transaction for each commit. Its first statement changes the build only at
 * the version that the decision was made from; when the version has changed, nothing is written.
 */
import { DateTime, Effect, Option, Schema } from "effect"
import { jsonEncoder } from "../../core/model/compiledJson.ts"
import { BuildDeclaration } from "../../core/model/Build.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { recordIfAny } from "../sql/auditLog.ts"
import { orConflict, type Engine } from "../sql/Engine.ts"
import { sharedIsHosted, storeHosted, uploadStatements } from "../sql/hostedObjects.ts"
import { postIfAny } from "../sql/outbox.ts"
import { decodeFirst, decodeRows, digest, lineDigest, orNull } from "../sql/values.ts"
import { storeOnce } from "./engine.ts"
import { buildReads } from "../sql/builds.ts"
import { buildDeletion, previewDeletion } from "../sql/deletions.ts"
import { keyDigest } from "../sql/repositories.ts"
import type { Statement } from "effect/sql"
import { PreviewDeclaration } from "../../core/model/Preview.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"

const encodeDeclaration = jsonEncoder(BuildDeclaration)

const buildCommits = (engine: Engine): Pick<BuildStore["Service"], "commitFinalize" | "commitReserve"> => {
  const { inTransaction, orWriteFailure, room, sql } = engine

  const { columns, finalized, storeBuild, values } = uploadStatements(engine)

  return {
    commitReserve: ({ build, once, reservation, ...bounds }) =>
      orConflict(storeBuild(build, room(reservation.accountId, reservation.reservedAt, bounds))).pipe(
        Effect.andThen(sql`
          INSERT INTO build_reservations (build_id, ${columns})
          SELECT ${build.id}, ${values(reservation, encodeDeclaration(reservation.declaration))}
        `),
        Effect.andThen(storeOnce(engine, once)),
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

export const buildStore = (engine: Engine) => {
  const { orUnavailable, sql } = engine
  const { full, oneView, reads } = buildReads(engine)

  return BuildStore.of({
    ...reads,
    // The rule `latestBuild` in two parts, each answered from the end of an index: builds with a live reservation are
    // ordered by that reservation, and of the others the one whose finalizing reservation is the last counts. (The plus
    // keeps the planner from searching the second part by its end.)
    findLatest: (account, key, branch, platform, now, app) => {
      const line = sql.and([
        sql`repository_id = r.id AND branch_digest = ${digest(branch)} AND platform = ${platform}`,
        ...(app === undefined ? [] : [sql`line_digest = ${lineDigest({ branch, app })}`])
      ])
      const at = DateTime.toDateUtc(now)
      return sql`
        SELECT ${full}
        FROM repositories r
        JOIN builds b ON b.id = (
          SELECT id FROM (
            SELECT id, reserved_by AS placed_by FROM builds WHERE ${line} AND reserved_until > ${at}
            UNION ALL
            SELECT id, placed_by FROM (
              SELECT id, ready_by AS placed_by FROM builds WHERE ${line} AND +reserved_until <= ${at}
                AND ready_by IS NOT NULL ORDER BY ready_by DESC LIMIT 1
            )
          )
          ORDER BY placed_by DESC LIMIT 1
        )
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
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, room, sql } = engine
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

  const bill = (id: string) => sql`
    INSERT INTO billed_test_runs (preview_id, account_id, billed_at)
    SELECT id, account_id, finalized_at FROM previews WHERE id = ${id}
  `

  return PreviewStore.of({
    findByToken: (tokenHash) => find(sql`token_hash = ${tokenHash}`),
    findByShareId: (account, shareId) => find(sql`share_id = ${shareId} AND account_id = ${account}`),
    commitReserve: ({ once, preview, ...bounds }) =>
      orConflict(sql`
        INSERT INTO previews (share_id, repository_id, ${uploads.columns})
        SELECT
          ${preview.shareId}, ${preview.repositoryId ?? null},
          ${uploads.values(preview, encodePreview(preview.declaration))}
        WHERE ${room(preview.accountId, preview.reservedAt, bounds)}
        RETURNING id
      `).pipe(Effect.andThen(storeOnce(engine, once)), inTransaction, Effect.asVoid, orWriteFailure),
    commitFinalize: ({ billed, entry, event, hosted, lost, preview }) =>
      orConflict(sql`
        UPDATE previews SET ${uploads.finalized(preview)}
        WHERE id = ${preview.id} AND finalized_at IS NULL AND ${sharedIsHosted(engine, preview)}
        RETURNING id
      `).pipe(
        Effect.andThen(billed ? Effect.asVoid(bill(preview.id)) : Effect.void),
        Effect.andThen(storeHosted(engine, { hosted, lost })),
        Effect.andThen(postIfAny(engine, event)),
        Effect.andThen(recordIfAny(engine, entry)),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      ),
    ...previewDeletion(engine),
    usage: (account) =>
      sql`
        SELECT strftime('%Y-%m', billed_at / 1000.0, 'unixepoch') AS "usage.month", count(*) AS "usage.billedTestRuns"
        FROM billed_test_runs WHERE account_id = ${account}
        GROUP BY 1 ORDER BY 1 DESC
      `.pipe(
        Effect.flatMap(months),
        Effect.map((rows) => rows.map((row) => row.usage)),
        orUnavailable
      )
  })
}
