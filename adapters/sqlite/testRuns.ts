import { DateTime, Effect, Option, Schema } from "effect"
import type { Repository } from "../../core/model/Repository.ts"
import type { RunCursor, TestRun } from "../../core/model/TestRun.ts"
import { TestRunStore, type RunFilter } from "../../core/ports/TestRunStore.ts"
import { firstBeyond } from "../../core/rules/pages.ts"
import { runDeletion } from "../sql/deletions.ts"
import { recordIfAny } from "../sql/auditLog.ts"
import { decodeFirst, decodeRows, digest, nextTurn } from "../sql/values.ts"
import { orConflict, type Engine } from "../sql/Engine.ts"
import { post } from "../sql/outbox.ts"
import { keyDigest } from "../sql/repositories.ts"
import { historyParts } from "../sql/testHistories.ts"
import { testRunParts } from "../sql/testRuns.ts"
import { storeOnce } from "./engine.ts"

/** How many runs one statement looks at, which takes some milliseconds in which the process stands still. */
export const runsPerStatement = 5000

/** How many bytes one statement answers, unless a single run has more: a turn of the event loop reads and decodes them. */
const bytesPerStatement = 2 ** 20

export const testRunStore = (engine: Engine) => {
  const { columns, entities, inTransaction, orUnavailable, orWriteFailure, sql } = engine
  const { repository, run } = entities
  const { insertRun, reads } = testRunParts(engine)
  const { isCurrent, store } = historyParts(engine)
  const oneRepository = decodeFirst({ repository })
  const someRuns = decodeRows({ run })
  const repositoryColumns = sql.literal(columns("repository", "r"))
  const runColumns = sql.literal(columns("run", "t"))
  const oneCursor = decodeFirst({ run: Schema.Struct({ createdAt: run.fields.createdAt, id: run.fields.id }) })

  /** The conditions of a filter, each with its index; the one that most likely fits the fewest runs first. */
  const conditions = ({ app, branch, ciRun, commitSha, kind, pr, source, status }: RunFilter) => [
    ...(commitSha === undefined ? [] : [{ index: "commit", is: sql`t.commit_sha = ${commitSha}` }]),
    ...(pr === undefined ? [] : [{ index: "pr", is: sql`t.pr = ${pr}` }]),
    ...(branch === undefined ? [] : [{ index: "branch", is: sql`t.branch_digest = ${digest(branch)}` }]),
    ...(source === undefined ? [] : [{ index: "source", is: sql`t.source_digest = ${digest(source)}` }]),
    ...(ciRun === undefined
      ? []
      : [
          {
            index: "ci_run",
            is: sql`t.source IS NOT NULL AND substr(t.source, 1, instr(t.source || '/', '/') - 1) = ${ciRun}`
          }
        ]),
    ...(app === undefined ? [] : [{ index: "app", is: sql`t.app = ${app}` }]),
    ...(status === undefined ? [] : [{ index: "status", is: sql`t.status = ${status}` }]),
    ...(kind === undefined ? [] : [{ index: "kind", is: sql`t.kind = ${kind}` }])
  ]

  const behind = ({ createdAt, id }: RunCursor) => sql`(t.created_at, t.id) < (${DateTime.toDateUtc(createdAt)}, ${id})`

  return TestRunStore.of({
    ...reads,
    ...runDeletion(engine),
    insert: ({ entry, events = [], history, once, run, within }) =>
      orConflict(insertRun(run, within, isCurrent(history))).pipe(
        Effect.andThen(store(history)),
        Effect.andThen(storeOnce(engine, once)),
        Effect.andThen(Effect.forEach(events, (event) => post(engine, event), { discard: true })),
        Effect.andThen(recordIfAny(engine, entry)),
        inTransaction,
        Effect.asVoid,
        orWriteFailure
      ),
    // The index of one condition gives its runs in order; what passes the others is looked for step by step.
    list: ({ account, after, bytes, filter, limit, repository: key }) =>
      Effect.gen(function* () {
        const linked = yield* sql`
          SELECT ${repositoryColumns} FROM repositories r
          WHERE r.account_id = ${account} AND r.key_digest = ${keyDigest(key)} AND r.linked
        `.pipe(Effect.flatMap(oneRepository))
        if (Option.isNone(linked)) return Option.none()
        const { repository } = linked.value
        const [indexed, ...others] = conditions(filter)
        const index = indexed === undefined ? "test_runs_of_repository" : `test_runs_by_${indexed.index}`
        // The planner has no statistics, and would take another index for some of the statements.
        const runsOf = sql.literal(`test_runs t INDEXED BY ${index}`)
        const inRepository = sql`t.repository_id = ${repository.id}`
        const inIndex = indexed === undefined ? inRepository : sql.and([inRepository, indexed.is])
        const passing = others.length === 0 ? inIndex : sql.and([inIndex, ...others.map(({ is }) => is)])

        const found: Array<{ readonly repository: Repository; readonly run: TestRun }> = []
        let from = after
        while (true) {
          const end =
            others.length === 0
              ? Option.none()
              : yield* sql`
                  SELECT t.created_at AS "run.createdAt", t.id AS "run.id" FROM ${runsOf}
                  WHERE ${Option.isNone(from) ? inIndex : sql.and([inIndex, behind(from.value)])}
                  ORDER BY t.created_at DESC, t.id DESC LIMIT 1 OFFSET ${runsPerStatement - 1}
                `.pipe(Effect.flatMap(oneCursor))
          const bounds = [
            ...(Option.isNone(from) ? [] : [behind(from.value)]),
            ...Option.match(end, {
              onNone: () => [],
              onSome: ({ run }) => [sql`(t.created_at, t.id) >= (${DateTime.toDateUtc(run.createdAt)}, ${run.id})`]
            })
          ]
          const these = sql`
            FROM ${runsOf} WHERE ${bounds.length === 0 ? passing : sql.and([passing, ...bounds])}
            ORDER BY t.created_at DESC, t.id DESC
          `
          // SQLite knows the lengths of texts without reading them.
          const sizes = yield* sql<{ readonly bytes: number }>`
            SELECT COALESCE(octet_length(t.attempts), 0) + COALESCE(octet_length(t.failure_message), 0) AS bytes,
              t.created_at AS "run.createdAt", t.id AS "run.id"
            ${these} LIMIT ${limit - found.length}
          `
          const heavyAt = firstBeyond(sizes, bytesPerStatement, ({ bytes }) => bytes)
          const count = heavyAt === -1 ? sizes.length : Math.max(heavyAt, 1)
          const runs =
            count === 0 ? [] : yield* sql`SELECT ${runColumns} ${these} LIMIT ${count}`.pipe(Effect.flatMap(someRuns))
          found.push(...runs.map(({ run }) => ({ repository, run })))
          const heavy = firstBeyond(found, bytes, ({ run }) => run.metadataBytes ?? 0)
          if (heavy !== -1) return Option.some(found.slice(0, heavy + 1))
          const isWhole = count === sizes.length
          if (found.length === limit || (isWhole && Option.isNone(end))) return Option.some(found)
          from = Option.map(isWhole ? end : yield* oneCursor(sizes.slice(count - 1)), ({ run }) => run)
          yield* nextTurn
        }
      }).pipe(orUnavailable)
  })
}
