/** How the commits of runs change histories and CI runs. */
import { hash } from "node:crypto"
import { Array, DateTime, Effect, Option, Schema, Struct } from "effect"
import type { SqlError, Statement } from "effect/sql"
import {
  TestId,
  type CiRun,
  type HistoryChange,
  type HistoryWrite,
  type TestHistory
} from "../../core/model/TestHistory.ts"
import { packRecent, packResults } from "../../core/ports/packedResults.ts"
import { Conflict } from "../../core/ports/WriteFailure.ts"
import { importsOf, isIncomplete } from "../../core/rules/imports.ts"
import { decodeFirst, decodeRows, digest, digestOrNull, nextTurn, orNull } from "./values.ts"
import { orConflict, type Engine } from "./Engine.ts"
import type { RepositoryKey } from "../../core/model/Repository.ts"
import type { RunCursor, TestRun } from "../../core/model/TestRun.ts"
import { ciRunWindow, TestHistoryStore, type TestFilter } from "../../core/ports/TestHistoryStore.ts"
import { firstBeyond, weighing } from "../../core/rules/pages.ts"
import { postIfAny } from "./outbox.ts"
import { keyDigest } from "./repositories.ts"

/** Stands in a key for all branches. */
const allBranches = ""

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

const ciRunRow = (ciRun: CiRun) => ({
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
  quarantined: ciRun.quarantined,
  runs: ciRun.runs,
  duration_ms: ciRun.durationMs,
  source: ciRun.source ?? null,
  branch: ciRun.branch ?? null,
  commit_message: ciRun.commitMessage ?? null,
  author: ciRun.author ?? null,
  base: ciRun.base ?? null,
  imports: ciRun.imports === undefined ? null : JSON.stringify(ciRun.imports),
  imports_version: ciRun.importsVersion ?? null,
  finishes_at: orNull(ciRun.finishesAt)
})

/** Of a CI run without runs, these are what its imports were announced with; else those of its first run. */
const ofFirstRun = ["branch_digest", "branch", "commit_sha", "pr", "commit_message", "author", "base"] as const

const totals = ["passed", "failed", "flaky", "quarantined", "runs", "duration_ms"] as const

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
  const lockedHistories = ({ tests }: HistoryChange = nothing): Statement.Fragment =>
    tests.length === 0 ? sql.literal("") : sql`locked_histories AS (${selected(tests)}),`

  /** The condition that histories have the versions that a change expects, in the table or in {@link lockedHistories}. */
  const isCurrent = (
    { tests }: HistoryChange = nothing,
    table: "test_histories" | "locked_histories" = "test_histories"
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
    quarantined,
    repositoryId,
    runs
  }: CiRun): Effect.fn.Return<void, SqlError.SqlError> {
    const own = sql`repository_id = ${repositoryId} AND ci_run = ${ciRun}`
    const [left] = yield* sql<{ readonly runs: number; readonly imports: string | null }>`
      UPDATE ci_runs SET
        passed = passed + ${passed}, failed = failed + ${failed}, flaky = flaky + ${flaky},
        quarantined = quarantined + ${quarantined}, runs = runs + ${runs}, duration_ms = duration_ms + ${durationMs}
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
   * Further parts of a statement that begins `WITH locked_histories AS (…), stored AS (…)`: change histories when `stored` has a row, the new run.
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

  return { hold, lockedHistories, isCurrent, store, storing }
}

/** How many runs, and of how many bytes, and how many tests, one statement asks for. */
const runsPerStatement = 200
const bytesPerStatement = 2 ** 20
const testsPerStatement = 10

export const testHistoryStore = (engine: Engine) => {
  const { columns, contains, entities, inTransaction, jsonField, jsonIncludes, orUnavailable, orWriteFailure, sql } =
    engine
  const { ciRun, listedTest, repository, run, testHistory } = entities
  const viewColumns = sql.literal(`${columns("repository", "r")}, ${columns("testHistory", "h", "test")}`)
  const listedColumns = sql.literal(columns("listedTest", "h", "test"))
  const historyColumns = sql.literal(columns("testHistory", "h", "test"))
  const ciRunColumns = sql.literal(columns("ciRun", "c"))
  const runColumns = sql.literal(columns("run", "t"))
  const foundCiRunColumns = sql.literal(`${columns("repository", "r")}, ${columns("ciRun", "c")}`)
  const storedResults = Schema.optionalKey(Schema.Struct(Struct.pick(testHistory.fields, ["version", "results"])))
  const oneLoaded = decodeFirst({
    all: storedResults,
    branch: storedResults,
    ciRun: Schema.optionalKey(Schema.Struct(Struct.pick(ciRun.fields, ["startedAt"]))),
    quarantine: Schema.optionalKey(Schema.Struct(Struct.pick(entities.quarantine.fields, ["createdAt", "expiresAt"])))
  })
  const oneView = decodeFirst({ repository, test: testHistory })
  const someHistories = decodeRows({ test: testHistory })
  const someTests = decodeRows({ test: listedTest })
  const someCiRuns = decodeRows({ ciRun })
  const oneCiRun = decodeFirst({ ciRun })
  const someRuns = decodeRows({ run })
  const oneCursor = decodeFirst({ run: Schema.Struct(Struct.pick(run.fields, ["createdAt", "id"])) })
  const foundTests = decodeRows({ repository, test: listedTest })
  const foundCiRuns = decodeRows({ repository, ciRun })
  const oneSingle = decodeFirst({ single: Schema.Struct({ testId: TestId }) })
  const branchRows = decodeRows({
    of: Schema.Struct({ branch: Schema.String, ciRuns: Schema.Int, lastAt: entities.ciRun.fields.startedAt })
  })

  /** The repository that the account links under this key. */
  const linked = (account: string, key: RepositoryKey) => sql`
    SELECT id FROM repositories WHERE account_id = ${account} AND key_digest = ${keyDigest(key)} AND linked
  `

  /** A list of a repository. Only where it is empty, it matters whether the repository is linked. */
  const ofLinked =
    (account: string, key: RepositoryKey) =>
    <A, E, R>(list: Effect.Effect<ReadonlyArray<A>, E, R>) =>
      Effect.gen(function* () {
        const found = yield* list
        if (found.length === 0 && (yield* linked(account, key)).length === 0) return Option.none()
        return Option.some(found)
      })

  /** The condition that columns contain every word; `true` without words. */
  const holding = (
    words: ReadonlyArray<string>,
    columns: ReadonlyArray<string>,
    orElse: (word: string) => ReadonlyArray<Statement.Fragment> = () => []
  ) =>
    words.length === 0
      ? sql.literal("true")
      : sql.and(
          words.map((word) =>
            sql.or([...columns.map((column) => contains(sql.literal(column), word)), ...orElse(word)])
          )
        )
  const testTexts = ["h.name", "h.prompt", "h.file", "h.platform", "h.app"]

  /** The condition that the last run of a test passes. */
  const lastRun = (condition: Statement.Fragment) => sql`
    EXISTS (SELECT 1 FROM test_runs t WHERE t.id = ${jsonField(sql.literal("h.summary"), "lastRunId")} AND ${condition})
  `

  // A partial index is used only for a condition without parameters.
  const passing = ({ app, device, flakySince, status, tag, words }: TestFilter) => [
    ...(tag === undefined ? [] : [lastRun(jsonIncludes(sql.literal("t.tags"), tag))]),
    ...(device === undefined ? [] : [lastRun(sql`${jsonField(sql.literal("t.device"), "name")} = ${device}`)]),
    ...(words === undefined ? [] : [holding(words, testTexts)]),
    ...(app === undefined ? [] : [sql`h.app = ${app}`]),
    ...(status === undefined
      ? []
      : [sql.literal(status === "failed" ? "h.last_status = 'failed'" : "h.last_status = 'passed'")]),
    // A test ran since if it was flaky since: so much of the index is read.
    ...(flakySince === undefined
      ? []
      : [
          sql.literal("h.last_flaky_at IS NOT NULL"),
          sql`h.last_flaky_at >= ${DateTime.toDateUtc(flakySince)}`,
          sql`h.last_run_at >= ${DateTime.toDateUtc(flakySince)}`
        ])
  ]

  return TestHistoryStore.of({
    loadForRun: ({ branch, ciRun, repositoryId, testId }) =>
      sql`
        SELECT
          a.version AS "all.version", a.results || a.recent AS "all.results",
          b.version AS "branch.version", b.results || b.recent AS "branch.results",
          c.started_at AS "ciRun.startedAt",
          q.created_at AS "quarantine.createdAt", q.expires_at AS "quarantine.expiresAt"
        FROM (SELECT 1) asked
        LEFT JOIN test_histories a ON a.test_id = ${testId} AND a.branch_digest = ${allBranches}
        LEFT JOIN test_histories b ON b.test_id = ${testId} AND b.branch_digest = ${branch === undefined ? null : historyBranch(branch)}
        LEFT JOIN ci_runs c ON c.repository_id = ${repositoryId} AND c.ci_run = ${ciRun}
        LEFT JOIN quarantines q ON q.test_id = ${testId}
      `.pipe(
        Effect.flatMap(oneLoaded),
        Effect.map((row) => {
          const { all, branch, ciRun, quarantine } = Option.getOrThrow(row)
          return {
            all: Option.fromUndefinedOr(all),
            branch: Option.fromUndefinedOr(branch),
            ciRun: Option.fromUndefinedOr(ciRun),
            quarantine: Option.fromUndefinedOr(quarantine)
          }
        }),
        orUnavailable
      ),
    storedRuns: (testId, { bytes, limit }) =>
      Effect.gen(function* () {
        const found: Array<TestRun> = []
        let after: RunCursor | undefined
        const isLast = weighing<TestRun>(bytes, ({ metadataBytes }) => metadataBytes ?? 0)
        while (true) {
          const behind =
            after === undefined
              ? sql.literal("true")
              : sql`(t.created_at, t.id) < (${DateTime.toDateUtc(after.createdAt)}, ${after.id})`
          const from = (count: number) => sql`
            FROM test_runs t WHERE t.test_id = ${testId} AND ${behind}
            ORDER BY t.created_at DESC, t.id DESC LIMIT ${count}
          `
          const size = Math.min(runsPerStatement, limit - found.length)
          const sizes = yield* sql<{ readonly bytes: number }>`
            SELECT CAST(COALESCE(t.metadata_bytes, 0) AS integer) AS bytes, t.created_at AS "run.createdAt", t.id AS "run.id"
            ${from(size)}
          `
          const heavy = firstBeyond(sizes, bytesPerStatement, (row) => row.bytes)
          const count = heavy === -1 ? sizes.length : heavy + 1
          if (count === 0) return found
          after = Option.getOrUndefined(yield* oneCursor(sizes.slice(count - 1)))?.run
          const page = yield* sql`SELECT ${runColumns} ${from(count)}`.pipe(Effect.flatMap(someRuns))
          for (const { run } of page) {
            found.push(run)
            if (isLast(run)) return found
          }
          if (count < runsPerStatement && heavy === -1) return found
          yield* nextTurn
        }
      }).pipe(orUnavailable),
    room: (repository, limit) =>
      Effect.gen(function* () {
        const own = sql`repository_id = ${repository} AND branch_digest = ${allBranches}`
        const [counted] = yield* sql<{ readonly tests: number }>`
          SELECT CAST(count(*) AS integer) AS tests FROM (
            SELECT 1 FROM test_histories WHERE ${own} ORDER BY last_run_at DESC, test_id DESC LIMIT ${limit}
          ) newest
        `
        const tests = counted?.tests ?? 0
        if (tests < limit) return { tests, oldestSingle: Option.none() }
        const oldest = yield* sql`
          SELECT test_id AS "single.testId" FROM test_histories WHERE ${own} AND result_count = 1
          ORDER BY last_run_at, test_id LIMIT 1
        `.pipe(Effect.flatMap(oneSingle))
        return { tests, oldestSingle: Option.map(oldest, ({ single }) => single.testId) }
      }).pipe(orUnavailable),
    list: ({ account, filter, limit, order, repository: key }) => {
      const sorted =
        order.by === "newest"
          ? {
              by: sql.literal("h.last_run_at DESC, h.test_id DESC"),
              conditions:
                order.after === undefined
                  ? []
                  : [
                      sql`(h.last_run_at, h.test_id) < (${DateTime.toDateUtc(order.after.lastRunAt)}, ${order.after.testId})`
                    ]
            }
          : { by: sql.literal("h.p95_ms DESC, h.test_id DESC"), conditions: [sql.literal("h.p95_ms IS NOT NULL")] }
      return sql`
        SELECT ${listedColumns} FROM test_histories h
        WHERE ${sql.and([
          sql`h.repository_id = (${linked(account, key)})`,
          sql`h.branch_digest = ${historyBranch(filter.branch)}`,
          ...passing(filter),
          ...sorted.conditions
        ])}
        ORDER BY ${sorted.by} LIMIT ${limit}
      `.pipe(
        Effect.flatMap(someTests),
        Effect.map((rows) => rows.map(({ test }) => test)),
        ofLinked(account, key),
        orUnavailable
      )
    },
    find: (account, testId, branch) =>
      sql`
        SELECT ${viewColumns}
        FROM test_histories h
        JOIN repositories r ON r.id = h.repository_id AND r.linked
        WHERE h.test_id = ${testId} AND h.branch_digest = ${historyBranch(branch)} AND h.account_id = ${account}
      `.pipe(Effect.flatMap(oneView), orUnavailable),
    // The last ids are repeated, so that there is one statement for any number.
    findEach: (account, testIds, branch) =>
      Effect.forEach(Array.chunksOf(testIds, testsPerStatement), (some) => {
        const ids = Array.makeBy(testsPerStatement, (index) => some[Math.min(index, some.length - 1)])
        // A history may have 600 kB.
        const read = sql`
          SELECT ${historyColumns}
          FROM test_histories h
          JOIN repositories r ON r.id = h.repository_id AND r.linked
          WHERE ${sql.in("h.test_id", ids)} AND h.branch_digest = ${historyBranch(branch)} AND h.account_id = ${account}
        `.pipe(Effect.flatMap(someHistories))
        return Effect.andThen(nextTurn, read)
      }).pipe(
        Effect.map((rows) => rows.flat().map(({ test }) => test)),
        orUnavailable
      ),
    branchesOf: (account, testId, limit) =>
      sql<{ readonly branch: string }>`
        SELECT h.branch
        FROM test_histories h
        JOIN repositories r ON r.id = h.repository_id AND r.linked
        WHERE h.test_id = ${testId} AND h.account_id = ${account} AND h.branch IS NOT NULL
        ORDER BY h.last_run_at DESC, h.branch_digest LIMIT ${limit}
      `.pipe(
        Effect.map((rows) => rows.map(({ branch }) => branch)),
        orUnavailable
      ),
    ciRuns: ({ account, after, branch, limit, repository: key }) =>
      sql`
        SELECT ${ciRunColumns} FROM ci_runs c
        WHERE ${sql.and([
          sql`c.repository_id = (${linked(account, key)})`,
          ...(branch === undefined ? [] : [sql`c.branch_digest = ${digest(branch)}`]),
          ...(after === undefined
            ? []
            : [sql`(c.started_at, c.ci_run) < (${DateTime.toDateUtc(after.startedAt)}, ${after.ciRun})`])
        ])}
        ORDER BY c.started_at DESC, c.ci_run DESC LIMIT ${limit}
      `.pipe(
        Effect.flatMap(someCiRuns),
        Effect.map((rows) => rows.map(({ ciRun }) => ciRun)),
        ofLinked(account, key),
        orUnavailable
      ),
    searchTests: (account, { devices, words }, limit) =>
      sql`
        SELECT ${sql.literal(columns("repository", "r"))}, ${listedColumns}
        FROM repositories r
        JOIN test_histories h ON h.repository_id = r.id AND h.branch_digest = ${allBranches}
        WHERE r.account_id = ${account} AND r.linked AND ${holding(words, testTexts, (word) => (devices ? [lastRun(contains(jsonField(sql.literal("t.device"), "name"), word))] : []))}
        ORDER BY h.last_run_at DESC, h.test_id DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(foundTests), orUnavailable),
    searchCiRuns: (account, by, limit) =>
      sql`
        SELECT ${sql.literal(columns("repository", "r"))}, ${ciRunColumns}
        FROM ${
          "words" in by
            ? sql`(SELECT * FROM ci_runs WHERE account_id = ${account} ORDER BY started_at DESC, repository_id DESC, ci_run DESC LIMIT ${ciRunWindow})`
            : sql.literal("ci_runs")
        } c
        JOIN repositories r ON r.id = c.repository_id AND r.linked
        WHERE c.account_id = ${account} AND ${
          "words" in by
            ? holding(by.words, ["c.source", "c.branch", "c.author", "c.commit_message"])
            : "branch" in by
              ? sql`c.branch_digest = ${digest(by.branch)}`
              : "pr" in by
                ? sql`c.pr = ${by.pr}`
                : sql`c.commit_sha >= ${by.commit} AND c.commit_sha < ${`${by.commit}g`}`
        }
        ORDER BY c.started_at DESC, c.ci_run DESC LIMIT ${limit}
      `.pipe(Effect.flatMap(foundCiRuns), orUnavailable),
    findCiRun: (account, key, ciRun) =>
      sql`
        SELECT ${ciRunColumns} FROM ci_runs c
        WHERE c.repository_id = (${linked(account, key)}) AND c.ci_run = ${ciRun}
      `.pipe(Effect.flatMap(oneCiRun), Effect.map(Option.map((row) => row.ciRun)), orUnavailable),
    saveImports: (ciRun, event) =>
      sql`
        INSERT INTO ci_runs ${sql.insert(ciRunRow(ciRun))}
        ON CONFLICT (repository_id, ci_run) DO UPDATE SET
          imports = excluded.imports, imports_version = excluded.imports_version, finishes_at = excluded.finishes_at
        WHERE COALESCE(ci_runs.imports_version, 0) = excluded.imports_version - 1
        RETURNING 1 AS one
      `.pipe(orConflict, Effect.andThen(postIfAny(engine, event)), inTransaction, orWriteFailure),
    unfinished: ({ limit, until }) =>
      sql`
        SELECT ${foundCiRunColumns} FROM ci_runs c JOIN repositories r ON r.id = c.repository_id
        WHERE c.finishes_at IS NOT NULL AND c.finishes_at <= ${DateTime.toDateUtc(until)}
        ORDER BY c.finishes_at, c.repository_id, c.ci_run LIMIT ${limit}
      `.pipe(Effect.flatMap(foundCiRuns), orUnavailable),
    finish: ({ ciRun: { ciRun, finishesAt, repositoryId }, event }) =>
      sql`
        UPDATE ci_runs SET finishes_at = NULL, imports_version = imports_version + 1
        WHERE repository_id = ${repositoryId} AND ci_run = ${ciRun} AND finishes_at = ${orNull(finishesAt)}
        RETURNING ci_run
      `.pipe(
        Effect.map((rows) => rows.length > 0),
        Effect.tap((isChanged) => postIfAny(engine, isChanged ? event : undefined)),
        inTransaction,
        orWriteFailure
      ),
    // The branches are gathered from the index alone, which holds their digests.
    branches: (account, key) =>
      sql`
        SELECT
          (SELECT branch FROM ci_runs WHERE repository_id = own.repository_id AND branch_digest = own.branch_digest LIMIT 1)
            AS "of.branch",
          CAST(own.ci_runs AS integer) AS "of.ciRuns", own.last_at AS "of.lastAt"
        FROM (
          SELECT repository_id, branch_digest, count(*) AS ci_runs, max(started_at) AS last_at
          FROM (
            SELECT repository_id, branch_digest, started_at FROM ci_runs c
            WHERE repository_id = (${linked(account, key)})
            ORDER BY started_at DESC, ci_run DESC LIMIT ${ciRunWindow}
          ) newest
          WHERE branch_digest IS NOT NULL GROUP BY repository_id, branch_digest
        ) own
        ORDER BY own.last_at DESC
      `.pipe(
        Effect.flatMap(branchRows),
        Effect.map((rows) => rows.map(({ of }) => of)),
        orUnavailable
      )
  })
}
