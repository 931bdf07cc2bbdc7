import { DateTime, Effect, Option, Schema } from "effect"
import type { Statement } from "effect/sql"
import type { RunCursor, TestRun } from "../../core/model/TestRun.ts"
import type { RunFilter, TestRunStore } from "../../core/ports/TestRunStore.ts"
import { decodeFirst, decodeRows, digest, digestOrNull } from "./values.ts"
import type { QuotaCheck } from "../../core/ports/UsageStore.ts"
import { testIdOf } from "../../core/rules/testRuns.ts"
import type { Engine } from "./Engine.ts"
import { keyDigest } from "./repositories.ts"
import { rowOf } from "./rows.ts"

/** The columns of a run that are computed from its fields, for indexes. */
export const derivedOfRun = (run: TestRun) => ({
  test_id: testIdOf(run),
  branch_digest: digestOrNull(run.branch),
  source_digest: digestOrNull(run.source)
})

/** The reads of test runs that every engine does alike, and the parts that its own statements are made of. */
export const testRunParts = ({ columns, entities, orUnavailable, room, sql }: Engine) => {
  const { preview, repository, run } = entities
  const loaded = sql.literal(`${columns("repository", "r")}, ${columns("preview", "p")}`)
  const view = sql.literal(`${columns("repository", "r")}, ${columns("run", "t")}`)
  const oneLoaded = decodeFirst({ repository: Schema.optionalKey(repository), preview: Schema.optionalKey(preview) })
  const oneView = decodeFirst({ repository, run })
  const all = decodeRows({ repository, run: Schema.optionalKey(run) })
  const encode = Schema.encodeSync(run, { disableChecks: true })

  /** Inserts a run if it is within quotas, and under a further condition. */
  const insertRun = (inserted: TestRun, within: QuotaCheck | undefined, condition: Statement.Fragment) => {
    const row = { ...rowOf(run, encode(inserted)), ...derivedOfRun(inserted) }
    return sql`
      INSERT INTO test_runs (${sql.literal(Object.keys(row).join(", "))})
      SELECT ${sql.csv(Object.values(row).map((value) => sql`${value}`))}
      WHERE CASE WHEN ${room(inserted.accountId, inserted.createdAt, { within })} THEN ${condition} ELSE false END
      RETURNING id
    `
  }

  /** The condition for the runs `t` of the repository `r` that a filter lets through, those after the cursor. */
  const passing = (filter: RunFilter, after: Option.Option<RunCursor>) =>
    sql.and([
      sql`t.repository_id = r.id`,
      ...(filter.branch === undefined ? [] : [sql`t.branch_digest = ${digest(filter.branch)}`]),
      ...(filter.commitSha === undefined ? [] : [sql`t.commit_sha = ${filter.commitSha}`]),
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
      ...(filter.app === undefined ? [] : [sql`t.app = ${filter.app}`]),
      ...Option.match(after, {
        onNone: () => [],
        onSome: ({ createdAt, id }) => [sql`(t.created_at, t.id) < (${DateTime.toDateUtc(createdAt)}, ${id})`]
      })
    ])

  /** The page of a list. A linked repository always has a row, which holds no run when none passes the filter. */
  const pageOf = (rows: ReadonlyArray<object>) =>
    Effect.map(all(rows), (found) =>
      rows.length === 0
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
