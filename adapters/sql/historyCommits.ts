/** How the commits of runs change histories and CI runs. */
import { hash } from "node:crypto"
import { Array, DateTime, Effect } from "effect"
import type { SqlError, Statement } from "effect/sql"
import {
  packRecent,
  packResults,
  type CiRun,
  type TestHistory,
  type HistoryChange,
  type HistoryWrite
} from "../../core/model/TestHistory.ts"
import { Conflict } from "../../core/ports/Conflict.ts"
import { importsOf, isIncomplete } from "../../core/rules/imports.ts"
import { digestOrNull } from "./digest.ts"
import type { Engine } from "./Engine.ts"
import { orNull } from "./orNull.ts"

/** Stands in a key for all branches. */
export const allBranches = ""

/**
 * What stands in a history's key for its branch: nothing for all branches, else 32 hexadecimal digits of the branch's digest, as text,
 * because it is a part of an id of a sweep.
 */
export const historyBranch = (branch: string | undefined): string =>
  branch === undefined ? allBranches : hash("sha256", branch, "hex").slice(0, 32)

/** A row of `test_histories`. */
const historyRow = (history: TestHistory, read: HistoryWrite["read"]) => {
  const recent = packRecent(history.results, read)
  return {
    test_id: history.testId,
    branch_digest: historyBranch(history.branch),
    account_id: history.accountId,
    repository_id: history.repositoryId,
    version: history.version,
    result_count: history.summary.runs,
    kind: history.kind,
    last_run_at: DateTime.toDateUtc(history.lastRunAt),
    last_status: history.lastStatus,
    last_flaky_at: orNull(history.lastFlakyAt),
    p95_ms: history.p95Ms ?? null,
    branch: history.branch ?? null,
    name: history.name ?? null,
    prompt: history.prompt ?? null,
    file: history.file ?? null,
    platform: history.platform ?? null,
    app: history.app ?? null,
    summary: JSON.stringify(history.summary),
    results: recent === undefined ? packResults(history.results, read) : "",
    recent: recent ?? ""
  }
}

/** The columns that change with the results; the others identify the test, or are those of its account and repository. */
const changing = [
  "result_count",
  "last_run_at",
  "last_status",
  "last_flaky_at",
  "p95_ms",
  "summary",
  "recent"
] as const satisfies ReadonlyArray<keyof ReturnType<typeof historyRow>>

export const ciRunRow = (ciRun: CiRun) => ({
  repository_id: ciRun.repositoryId,
  ci_run: ciRun.ciRun,
  account_id: ciRun.accountId,
  started_at: DateTime.toDateUtc(ciRun.startedAt),
  branch_digest: digestOrNull(ciRun.branch),
  commit_sha: ciRun.commitSha ?? null,
  pr: ciRun.pr ?? null,
  passed: ciRun.passed,
  failed: ciRun.failed,
  flaky: ciRun.flaky,
  runs: ciRun.runs,
  duration_ms: ciRun.durationMs,
  source: ciRun.source ?? null,
  branch: ciRun.branch ?? null,
  commit_message: ciRun.commitMessage ?? null,
  author: ciRun.author ?? null,
  base: ciRun.base ?? null,
  imports: ciRun.imports === undefined ? null : JSON.stringify(ciRun.imports),
  imports_version: ciRun.importsVersion ?? null
})

/** Of a CI run without runs, these are what its imports were announced with; else those of its first run. */
const ofFirstRun = ["branch_digest", "branch", "commit_sha", "pr", "commit_message", "author", "base"] as const

const totals = ["passed", "failed", "flaky", "runs", "duration_ms"] as const

const nothing: HistoryChange = { tests: [], ciRun: undefined }

/** The parts of the commits that store and delete runs, by which they change histories. */
export const historyParts = ({ lockedBy, sql }: Pick<Engine, "lockedBy" | "sql">) => {
  const isOf = ({ branch, testId }: HistoryWrite) =>
    sql`test_id = ${testId} AND branch_digest = ${historyBranch(branch)}`

  const rowsOf = ({ tests }: HistoryChange) =>
    tests.flatMap(({ next, read }) => (next === undefined ? [] : [historyRow(next, read)]))

  const selected = (writes: ReadonlyArray<HistoryWrite>) => sql`
    SELECT test_id, branch_digest, version FROM test_histories
    WHERE ${sql.or(writes.map(isOf))} ${lockedBy("test_id, branch_digest")}
  `

  /** Locks the histories that a change is of until the transaction ends. */
  const hold = ({ tests }: HistoryChange = nothing) =>
    tests.length === 0 ? Effect.void : Effect.asVoid(selected(tests))

  /** The same, as the first part of a statement that begins with `WITH`. */
  const held = ({ tests }: HistoryChange = nothing): Statement.Fragment =>
    tests.length === 0 ? sql.literal("") : sql`held AS (${selected(tests)}),`

  /** The condition that histories have the versions that a change expects, in the table or in {@link held}. */
  const isCurrent = (
    { tests }: HistoryChange = nothing,
    table: "test_histories" | "held" = "test_histories"
  ): Statement.Fragment => {
    const conditions = tests.map(
      (write) => sql`COALESCE((SELECT version FROM ${sql.literal(table)} WHERE ${isOf(write)}), 0) = ${write.expected}`
    )
    return conditions.length === 0 ? sql.literal("true") : sql.and(conditions)
  }

  /** The condition of the histories that a change removes; `undefined` if it removes none. */
  const removed = ({ evicted, tests }: HistoryChange): Statement.Fragment | undefined => {
    const conditions = [
      ...tests.flatMap((write) => (write.next === undefined ? [isOf(write)] : [])),
      ...(evicted === undefined ? [] : [sql`test_id = ${evicted}`])
    ]
    return conditions.length === 0 ? undefined : sql.or(conditions)
  }

  // PostgreSQL doesn't write a long text again that is assigned to itself.
  const assigned = sql.literal(
    [
      ...changing.map((column) => `${column} = excluded.${column}`),
      "results = CASE excluded.results WHEN '' THEN test_histories.results ELSE excluded.results END"
    ].join(", ")
  )
  const isNext = sql.literal("test_histories.version = excluded.version - 1")

  const replacing = sql`
    ON CONFLICT (test_id, branch_digest) DO UPDATE SET version = excluded.version, ${assigned} WHERE ${isNext}
  `

  /** A history that was stored meanwhile gets no version, which the check `test_histories_current` refuses. */
  const replacingOrFailing = sql`
    ON CONFLICT (test_id, branch_digest) DO UPDATE SET version = CASE WHEN ${isNext} THEN excluded.version END, ${assigned}
  `

  const summed = sql.literal(totals.map((column) => `${column} = ci_runs.${column} + excluded.${column}`).join(", "))

  /** What ends the insert of a run's share in its CI run, where that is stored already. */
  const adding = sql`
    ON CONFLICT (repository_id, ci_run) DO UPDATE SET
      source = COALESCE(excluded.source, ci_runs.source),
      ${sql.literal(
        ofFirstRun
          .map(
            (column) =>
              `${column} = CASE WHEN ci_runs.runs = 0 THEN COALESCE(excluded.${column}, ci_runs.${column}) ELSE ci_runs.${column} END`
          )
          .join(", ")
      )},
      started_at = CASE WHEN excluded.started_at < ci_runs.started_at THEN excluded.started_at ELSE ci_runs.started_at END,
      ${summed}
  `

  /** Takes a deleted run's share off its CI run, and deletes that with its last run, unless imports of it are not complete. */
  const subtract = Effect.fnUntraced(function* ({
    ciRun,
    durationMs,
    failed,
    flaky,
    passed,
    repositoryId,
    runs
  }: CiRun): Effect.fn.Return<void, SqlError.SqlError> {
    const own = sql`repository_id = ${repositoryId} AND ci_run = ${ciRun}`
    const [left] = yield* sql<{ readonly runs: number; readonly imports: string | null }>`
      UPDATE ci_runs SET
        passed = passed + ${passed}, failed = failed + ${failed}, flaky = flaky + ${flaky}, runs = runs + ${runs},
        duration_ms = duration_ms + ${durationMs}
      WHERE ${own} RETURNING runs, imports
    `
    if (left === undefined || left.runs > 0) return
    const imports: CiRun["imports"] = left.imports === null ? undefined : JSON.parse(left.imports)
    if (!isIncomplete(importsOf(imports, 0))) yield* sql`DELETE FROM ci_runs WHERE ${own}`
  })

  /**
   * Changes histories in the transaction that is under way, which has checked that they are current. `Conflict` where one was stored
   * since.
   */
  const store = Effect.fnUntraced(function* (
    change: HistoryChange = nothing
  ): Effect.fn.Return<void, Conflict | SqlError.SqlError> {
    const rows = rowsOf(change)
    if (Array.isArrayNonEmpty(rows)) {
      const stored = yield* sql`INSERT INTO test_histories ${sql.insert(rows)} ${replacing} RETURNING 1 AS one`
      if (stored.length < rows.length) return yield* new Conflict()
    }
    const gone = removed(change)
    if (gone !== undefined) yield* sql`DELETE FROM test_histories WHERE ${gone}`
    if (change.ciRun === undefined) return
    yield* change.ciRun.runs > 0
      ? sql`INSERT INTO ci_runs ${sql.insert(ciRunRow(change.ciRun))} ${adding}`
      : subtract(change.ciRun)
  })

  /** Inserts a row for each row of `stored`, so one or none. */
  const insertion = (table: string, row: Readonly<Record<string, unknown>>, conflict: Statement.Fragment) => sql`
    INSERT INTO ${sql.literal(table)} (${sql.literal(Object.keys(row).join(", "))})
    SELECT ${sql.csv(Object.values(row).map((value) => sql`${value}`))} FROM stored ${conflict}
  `

  /**
   * Further parts of a statement that begins `WITH held AS (…), stored AS (…)`: change histories when `stored` has a row, the new run.
   */
  const storing = (change: HistoryChange = nothing): Statement.Fragment => {
    const gone = removed(change)
    const parts = [
      ...rowsOf(change).map((row) => insertion("test_histories", row, replacingOrFailing)),
      ...(gone === undefined
        ? []
        : [sql`DELETE FROM test_histories WHERE (${gone}) AND EXISTS (SELECT 1 FROM stored)`]),
      ...(change.ciRun === undefined ? [] : [insertion("ci_runs", ciRunRow(change.ciRun), adding)])
    ]
    return parts.length === 0
      ? sql.literal("")
      : sql`, ${sql.csv(parts.map((part, index) => sql`${sql.literal(`history_${index}`)} AS (${part})`))}`
  }

  return { hold, held, isCurrent, store, storing }
}
