import { Effect, Option, Schema } from "effect"
import type { Statement } from "effect/sql"
import { PreviewDeclaration } from "../../core/model/Preview.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { recordIfAny } from "../sql/auditLog.ts"
import { previewDeletion } from "../sql/deletions.ts"
import type { Engine } from "../sql/Engine.ts"
import { storeHosted, sharedIsHosted } from "../sql/hostedObjects.ts"
import { orConflict } from "../sql/orConflict.ts"
import { postIfAny } from "../sql/outbox.ts"
import { uploadStatements } from "../sql/uploads.ts"
import { room } from "../sql/usage.ts"
import { decodeFirst, decodeRows } from "../sql/decodeRows.ts"
import { keep } from "./commits.ts"

const encodeDeclaration = Schema.encodeSync(Schema.fromJsonString(PreviewDeclaration), { disableChecks: true })

const Usage = Schema.Struct({ month: Schema.String, billedTestRuns: Schema.Int })

export const previewStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
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
          ${uploads.values(preview, encodeDeclaration(preview.declaration))}
        WHERE ${room(sql, preview.accountId, preview.reservedAt, bounds)}
        RETURNING id
      `).pipe(Effect.andThen(keep(engine, once)), inTransaction, Effect.asVoid, orWriteFailure),
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
