import { DateTime, Effect, Option, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { RunCursor } from "../../core/model/TestRun.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import type { RunFilter } from "../../core/ports/TestRunStore.ts"
import { committed, keeping } from "./commits.ts"
import { digest } from "../sql/digest.ts"
import { posting } from "../sql/outbox.ts"
import { keyDigest } from "../sql/repositories.ts"
import { decodeFirst, decodeRows } from "../sql/rows.ts"
import { columns, entities } from "./rows.ts"
import { orUnavailable } from "./unavailable.ts"

/** The digest of a name that may be absent, as a parameter of a statement. */
const digestOrNull = (text: string | undefined): Uint8Array | null => (text === undefined ? null : digest(text))

export const testRunStore = (sql: SqlClient.SqlClient) => {
  const { preview, repository, run } = entities
  const loaded = sql.literal(`${columns("repository", "r")}, ${columns("preview", "p")}`)
  const view = sql.literal(`${columns("repository", "r")}, ${columns("run", "t")}`)
  const oneGround = decodeFirst({ repository: Schema.optionalKey(repository), preview: Schema.optionalKey(preview) })
  const oneView = decodeFirst({ repository, run })
  const all = decodeRows({ repository, run: Schema.optionalKey(run) })

  const passing = (filter: RunFilter, after: Option.Option<RunCursor>) =>
    sql.and([
      sql`repository_id = r.id`,
      ...(filter.branch === undefined ? [] : [sql`branch_digest = ${digest(filter.branch)}`]),
      ...(filter.kind === undefined ? [] : [sql`kind = ${filter.kind}`]),
      ...(filter.status === undefined ? [] : [sql`status = ${filter.status}`]),
      ...(filter.source === undefined ? [] : [sql`source_digest = ${digest(filter.source)}`]),
      ...(filter.pr === undefined ? [] : [sql`pr = ${filter.pr}`]),
      ...Option.match(after, {
        onNone: () => [],
        onSome: ({ createdAt, id }) => [sql`(created_at, id) < (${DateTime.toDateUtc(createdAt)}, ${id})`]
      })
    ])

  return TestRunStore.of({
    loadForRegister: (account, key, shareId) =>
      sql`
        SELECT ${loaded}
        FROM (SELECT 1) asked
        LEFT JOIN repositories r ON r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
        LEFT JOIN previews p ON p.share_id = ${shareId} AND p.account_id = ${account}
      `.pipe(
        Effect.flatMap(oneGround),
        Effect.map((row) => {
          const { preview, repository } = Option.getOrThrow(row)
          return { repository: Option.fromUndefinedOr(repository), preview: Option.fromUndefinedOr(preview) }
        }),
        orUnavailable
      ),
    insert: ({ event, once, run }) =>
      committed(sql`
        WITH stored AS (
          INSERT INTO test_runs (
            id, account_id, repository_id, preview_share_id, kind, name, prompt, status, branch, branch_digest,
            commit_sha, step_count, duration_ms, failure_message, failed_step_index, source, source_digest, pr,
            started_at, created_at
          )
          VALUES (
            ${run.id}, ${run.accountId}, ${run.repositoryId}, ${run.previewShareId}, ${run.kind}, ${run.name ?? null},
            ${run.prompt ?? null}, ${run.status}, ${run.branch ?? null}, ${digestOrNull(run.branch)},
            ${run.commitSha ?? null}, ${run.stepCount ?? null}, ${run.durationMs ?? null},
            ${run.failureMessage ?? null}, ${run.failedStepIndex ?? null}, ${run.source ?? null},
            ${digestOrNull(run.source)}, ${run.pr ?? null},
            ${run.startedAt === undefined ? null : DateTime.formatIso(run.startedAt)},
            ${DateTime.toDateUtc(run.createdAt)}
          )
          RETURNING id
        )
        ${keeping(sql, once)}
        ${posting(sql, event)}
        SELECT id FROM stored
      `),
    find: (account, id) =>
      sql`
        SELECT ${view}
        FROM test_runs t
        JOIN repositories r ON r.id = t.repository_id AND r.linked
        WHERE t.id = ${id} AND t.account_id = ${account}
      `.pipe(Effect.flatMap(oneView), orUnavailable),
    // A linked repository always answers a row, which holds no run when none matches. The statement is planned each
    // time, because the best index depends on the filters.
    list: ({ account, after, filter, limit, repository: key }) =>
      sql`
        SELECT ${view}
        FROM repositories r
        LEFT JOIN LATERAL (
          SELECT * FROM test_runs WHERE ${passing(filter, after)} ORDER BY created_at DESC, id DESC LIMIT ${limit}
        ) t ON true
        WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
        ORDER BY t.created_at DESC, t.id DESC
      `.unprepared.pipe(
        Effect.flatMap(all),
        Effect.map((rows) =>
          rows.length === 0
            ? Option.none()
            : Option.some(rows.flatMap(({ repository, run }) => (run === undefined ? [] : [{ repository, run }])))
        ),
        orUnavailable
      )
  })
}
