import { DateTime, Effect, Option, Schema } from "effect"
import type { Statement } from "effect/sql"
import type { RunCursor, TestRun } from "../../core/model/TestRun.ts"
import type { RunFilter, TestRunStore } from "../../core/ports/TestRunStore.ts"
import { digest, digestOrNull } from "./digest.ts"
import type { QuotaCheck } from "../../core/ports/UsageStore.ts"
import { testIdOf } from "../../core/rules/testHistory.ts"
import type { Engine } from "./Engine.ts"
import { keyDigest } from "./repositories.ts"
import { decodeFirst, decodeRows } from "./decodeRows.ts"
import { withinQuotas } from "./usage.ts"

const jsonOrNull = (value: unknown): string | null => (value === undefined ? null : JSON.stringify(value))

/** The reads of test runs that every engine does alike, and the parts that its own statements are made of. */
export const testRunParts = ({ columns, entities, orUnavailable, sql }: Engine) => {
  const { preview, repository, run } = entities
  const loaded = sql.literal(`${columns("repository", "r")}, ${columns("preview", "p")}`)
  const view = sql.literal(`${columns("repository", "r")}, ${columns("run", "t")}`)
  const oneLoaded = decodeFirst({ repository: Schema.optionalKey(repository), preview: Schema.optionalKey(preview) })
  const oneView = decodeFirst({ repository, run })
  const all = decodeRows({ repository, run: Schema.optionalKey(run) })

  /** Inserts a run if it is within quotas, and under a further condition. */
  const insertRun = (run: TestRun, within: QuotaCheck | undefined, condition: Statement.Fragment) => sql`
    INSERT INTO test_runs (
      id, account_id, repository_id, test_id, preview_share_id, kind, name, prompt, status, branch, branch_digest,
      commit_sha, step_count, duration_ms, failure_message, failed_step_index, source, source_digest, pr,
      started_at, device, attempts, file, tags, commit_message, author, base, job, created_at, metadata_bytes
    )
    SELECT
      ${run.id}, ${run.accountId}, ${run.repositoryId}, ${testIdOf(run)}, ${run.previewShareId}, ${run.kind},
      ${run.name ?? null}, ${run.prompt ?? null}, ${run.status}, ${run.branch ?? null}, ${digestOrNull(run.branch)},
      ${run.commitSha ?? null}, ${run.stepCount ?? null}, ${run.durationMs ?? null},
      ${run.failureMessage ?? null}, ${run.failedStepIndex ?? null}, ${run.source ?? null},
      ${digestOrNull(run.source)}, ${run.pr ?? null},
      ${run.startedAt === undefined ? null : DateTime.formatIso(run.startedAt)},
      ${jsonOrNull(run.device)}, ${jsonOrNull(run.attempts)}, ${run.file ?? null}, ${jsonOrNull(run.tags)},
      ${run.commitMessage ?? null}, ${run.author ?? null}, ${run.base ?? null}, ${run.job ?? null},
      ${DateTime.toDateUtc(run.createdAt)}, ${run.metadataBytes ?? null}
    WHERE ${withinQuotas(sql, run.accountId, run.createdAt, within)} AND ${condition}
    RETURNING id
  `

  /** The condition for the runs `t` of the repository `r` that a filter lets through, those after the cursor. */
  const passing = (filter: RunFilter, after: Option.Option<RunCursor>) =>
    sql.and([
      sql`t.repository_id = r.id`,
      ...(filter.branch === undefined ? [] : [sql`t.branch_digest = ${digest(filter.branch)}`]),
      ...(filter.kind === undefined ? [] : [sql`t.kind = ${filter.kind}`]),
      ...(filter.status === undefined ? [] : [sql`t.status = ${filter.status}`]),
      ...(filter.source === undefined ? [] : [sql`t.source_digest = ${digest(filter.source)}`]),
      ...(filter.ciRun === undefined
        ? []
        : [
            sql`t.source IS NOT NULL`,
            sql`left(split_part(t.source, '/', 1), 256) = left(${filter.ciRun}, 256)`,
            sql`split_part(t.source, '/', 1) = ${filter.ciRun}`
          ]),
      ...(filter.pr === undefined ? [] : [sql`t.pr = ${filter.pr}`]),
      ...Option.match(after, {
        onNone: () => [],
        onSome: ({ createdAt, id }) => [sql`(t.created_at, t.id) < (${DateTime.toDateUtc(createdAt)}, ${id})`]
      })
    ])

  /** The page of a list. A linked repository always has a row, which holds no run when none passes the filter. */
  const pageOf = (rows: ReadonlyArray<object>) =>
    Effect.map(all(rows), (found) =>
      found.length === 0
        ? Option.none()
        : Option.some(found.flatMap(({ repository, run }) => (run === undefined ? [] : [{ repository, run }])))
    )

  const reads: Pick<TestRunStore["Service"], "loadForRegister" | "find"> = {
    loadForRegister: (account, key, shareId) =>
      sql`
        SELECT ${loaded}
        FROM (SELECT 1) asked
        LEFT JOIN repositories r ON r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
        LEFT JOIN previews p ON p.share_id = ${shareId} AND p.account_id = ${account}
      `.pipe(
        Effect.flatMap(oneLoaded),
        Effect.map((row) => {
          const { preview, repository } = Option.getOrThrow(row)
          return { repository: Option.fromUndefinedOr(repository), preview: Option.fromUndefinedOr(preview) }
        }),
        orUnavailable
      ),
    find: (account, id) =>
      sql`
        SELECT ${view}
        FROM test_runs t
        JOIN repositories r ON r.id = t.repository_id AND r.linked
        WHERE t.id = ${id} AND t.account_id = ${account}
      `.pipe(Effect.flatMap(oneView), orUnavailable)
  }
  return { view, insertRun, passing, pageOf, reads }
}
