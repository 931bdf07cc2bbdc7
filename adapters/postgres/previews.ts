import { Effect, Option, Schema } from "effect"
import type { Statement } from "effect/sql"
import { PreviewDeclaration } from "../../core/model/Preview.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { committed, keeping } from "./commits.ts"
import { previewDeletion } from "../sql/deletions.ts"
import type { Engine } from "../sql/Engine.ts"
import { storingHosted, sharedStaysHosted } from "../sql/hostedObjects.ts"
import { recording } from "../sql/auditLog.ts"
import { posting } from "../sql/outbox.ts"
import { uploadStatements } from "../sql/uploads.ts"
import { room } from "../sql/usage.ts"
import { decodeFirst, decodeRows } from "../sql/decodeRows.ts"

const encodeDeclaration = Schema.encodeSync(Schema.fromJsonString(PreviewDeclaration), { disableChecks: true })

const Usage = Schema.Struct({ month: Schema.String, billedTestRuns: Schema.Int })

export const previewStore = (engine: Engine) => {
  const { columns, entities, orUnavailable, sql } = engine
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
            ${uploads.values(preview, encodeDeclaration(preview.declaration))}
          WHERE ${room(sql, preview.accountId, preview.reservedAt, bounds)}
          RETURNING id
        )
        ${keeping(sql, once)}
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
