import { DateTime, Effect, Option, Schema } from "effect"
import type { Repository } from "../../core/model/Repository.ts"
import type { RunCursor, TestRun } from "../../core/model/TestRun.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import type { RunFilter } from "../../core/ports/TestRunStore.ts"
import { digest } from "../sql/digest.ts"
import type { Engine } from "../sql/Engine.ts"
import { keyDigest } from "../sql/repositories.ts"
import { decodeFirst, decodeRows } from "../sql/rows.ts"
import { keep } from "./commits.ts"
import { nextTurn } from "./nextTurn.ts"

/** The digest of a name that may be absent, as a parameter of a statement. */
const digestOrNull = (text: string | undefined): Uint8Array | null => (text === undefined ? null : digest(text))

/** How many runs one statement looks at, which takes some milliseconds in which the process stands still. */
export const runsAtOnce = 5000

export const testRunStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { preview, repository, run } = entities
  const loaded = sql.literal(`${columns("repository", "r")}, ${columns("preview", "p")}`)
  const view = sql.literal(`${columns("repository", "r")}, ${columns("run", "t")}`)
  const oneGround = decodeFirst({ repository: Schema.optionalKey(repository), preview: Schema.optionalKey(preview) })
  const oneView = decodeFirst({ repository, run })
  const oneRepository = decodeFirst({ repository })
  const someRuns = decodeRows({ run })
  const oneCursor = decodeFirst({ run: Schema.Struct({ createdAt: run.fields.createdAt, id: run.fields.id }) })

  /** The conditions of a filter, each with its index; the one that most likely fits the fewest runs first. */
  const conditions = ({ branch, kind, pr, source, status }: RunFilter) => [
    ...(pr === undefined ? [] : [{ index: "pr", is: sql`t.pr = ${pr}` }]),
    ...(branch === undefined ? [] : [{ index: "branch", is: sql`t.branch_digest = ${digest(branch)}` }]),
    ...(source === undefined ? [] : [{ index: "source", is: sql`t.source_digest = ${digest(source)}` }]),
    ...(status === undefined ? [] : [{ index: "status", is: sql`t.status = ${status}` }]),
    ...(kind === undefined ? [] : [{ index: "kind", is: sql`t.kind = ${kind}` }])
  ]

  const behind = Option.match({
    onNone: () => sql.literal("true"),
    onSome: ({ createdAt, id }: RunCursor) => sql`(t.created_at, t.id) < (${DateTime.toDateUtc(createdAt)}, ${id})`
  })

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
    insert: ({ once, run }) =>
      sql`
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
      `.pipe(Effect.andThen(keep(engine, once)), inTransaction, Effect.asVoid, orWriteFailure),
    find: (account, id) =>
      sql`
        SELECT ${view}
        FROM test_runs t
        JOIN repositories r ON r.id = t.repository_id AND r.linked
        WHERE t.id = ${id} AND t.account_id = ${account}
      `.pipe(Effect.flatMap(oneView), orUnavailable),
    // The index of one condition gives its runs in order; what passes the others is looked for step by step.
    list: ({ account, after, filter, limit, repository: key }) =>
      Effect.gen(function* () {
        const linked = yield* sql`
          SELECT ${sql.literal(columns("repository", "r"))} FROM repositories r
          WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
        `.pipe(Effect.flatMap(oneRepository))
        if (Option.isNone(linked)) return Option.none()
        const { repository } = linked.value
        const [indexed, ...others] = conditions(filter)
        const index = indexed === undefined ? "test_runs_of_repository" : `test_runs_by_${indexed.index}`
        // The planner has no statistics, and would take another index for some of the statements.
        const runsOf = sql`test_runs t INDEXED BY ${sql(index)}`
        const inIndex = sql.and([
          sql`t.repository_id = ${repository.id}`,
          ...(indexed === undefined ? [] : [indexed.is])
        ])
        const passing = sql.and([inIndex, ...others.map(({ is }) => is)])

        const found: Array<{ readonly repository: Repository; readonly run: TestRun }> = []
        let from = after
        while (true) {
          const end =
            others.length === 0
              ? Option.none()
              : yield* sql`
                  SELECT t.created_at AS "run.createdAt", t.id AS "run.id" FROM ${runsOf}
                  WHERE ${inIndex} AND ${behind(from)}
                  ORDER BY t.created_at DESC, t.id DESC LIMIT 1 OFFSET ${runsAtOnce - 1}
                `.pipe(Effect.flatMap(oneCursor))
          const before = Option.match(end, {
            onNone: () => sql.literal("true"),
            onSome: ({ run }) => sql`(t.created_at, t.id) >= (${DateTime.toDateUtc(run.createdAt)}, ${run.id})`
          })
          const runs = yield* sql`
            SELECT ${sql.literal(columns("run", "t"))} FROM ${runsOf}
            WHERE ${passing} AND ${behind(from)} AND ${before}
            ORDER BY t.created_at DESC, t.id DESC LIMIT ${limit - found.length}
          `.pipe(Effect.flatMap(someRuns))
          found.push(...runs.map(({ run }) => ({ repository, run })))
          if (Option.isNone(end) || found.length === limit) return Option.some(found)
          from = Option.some(end.value.run)
          yield* nextTurn
        }
      }).pipe(orUnavailable)
  })
}
