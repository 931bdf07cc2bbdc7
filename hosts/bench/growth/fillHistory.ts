/** Fills a database with the history of 2,000 tests on 400 branches: a million runs. */
import { Array, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import type { RepositoryId } from "../../../core/model/Repository.ts"
import { ciRunOfSource, testIdOf } from "../../../core/rules/testRuns.ts"

const branches = 400
export const tests = 2000
/** The newest CI runs of each branch: half of the runs are of `main`, whose CI runs all tests, and the others run an eighth. */
const ciRunsOfMain = 250
export const ciRunsOfBranch = 5
const testsOfBranch = tests / 8

export const sha256 = (text: string) => createHash("sha256").update(text)
export const nameOf = (test: number): string => `flow ${test}`
export const branchOf = (branch: number): string => (branch === 0 ? "main" : `feature/${branch}`)

/** What identifies each of the tests, beside its name. */
export const ofTests = {
  kind: "maestro",
  device: { name: "Pixel 8", platform: "android" },
  file: "flows/checkout/pay.yaml"
} as const

export const idOfRepository = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly id: RepositoryId }>`SELECT id FROM repositories`
  return row === undefined ? yield* Effect.die("no repository is linked") : row.id
})

/** Rows that others are copied with, in the transaction that is under way. */
const temporary = (name: string, rows: ReadonlyArray<Record<string, string | number | Uint8Array>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [first = {}] = rows
    const binary = sql.onDialectOrElse({ sqlite: () => "blob", orElse: () => "bytea" })
    const columns = Object.entries(first).map(
      ([column, value]) =>
        `${column} ${typeof value === "string" ? "text" : typeof value === "number" ? "integer" : binary}`
    )
    yield* sql.unsafe(`CREATE TEMPORARY TABLE ${name} (${columns.join(", ")})`)
    yield* Effect.forEach(Array.chunksOf(rows, 500), (some) => sql`INSERT INTO ${sql(name)} ${sql.insert(some)}`)
  })

/** Copies a row of a table for each row of `from`, with values of its own in some columns. */
const copies = (table: string, template: string, from: string, own: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const row = `SELECT * FROM ${table} WHERE ${template} LIMIT 1`
    const columns = Object.keys((yield* sql.unsafe<object>(row))[0] ?? {})
    const values = columns.map((column) => own[column] ?? `o.${column}`)
    yield* sql.unsafe(
      `INSERT INTO ${table} (${columns.join(", ")}) SELECT ${values.join(", ")} FROM (${row}) o, ${from}`
    )
  })

/** Fills the database with a million runs, as copies of those of one test, which were registered over HTTP. */
export const fillDatabase = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const run = yield* idOfRepository
  const [minutes, failedLongAgo] = sql.onDialectOrElse({
    sqlite: () => [(count: string) => `60000 * (${count})`, "0"] as const,
    orElse: () => [(count: string) => `(${count}) * interval '1 minute'`, "timestamptz '2026-01-01'"] as const
  })
  const digestOf = (branch: number) => sha256(branchOf(branch))
  yield* temporary(
    "seeded_tests",
    Array.makeBy(tests, (n) => {
      const name = nameOf(n)
      return { n, name, test_id: testIdOf({ repositoryId: run, ...ofTests, name }) }
    })
  )
  yield* temporary(
    "seeded_branches",
    Array.makeBy(branches, (n) => ({
      n,
      branch: branchOf(n),
      digest: digestOf(n).digest(),
      short: digestOf(n).digest("hex").slice(0, 32),
      first: n === 0 ? 0 : (n * 50) % tests,
      many: n === 0 ? tests : testsOfBranch
    }))
  )
  yield* temporary(
    "seeded_ci_runs",
    Array.makeBy(branches, (branch) =>
      Array.makeBy(branch === 0 ? ciRunsOfMain : ciRunsOfBranch, (index) => {
        const source = `seeded:${branch}-${index}/1`
        return {
          branch_number: branch,
          age: 1 + index * 400 + branch,
          source,
          source_digest: sha256(source).digest(),
          ci_run: ciRunOfSource(source),
          commit_sha: sha256(source).digest("hex").slice(0, 40)
        }
      })
    ).flat()
  )
  const ofBranch = "b.n = c.branch_number"
  const runBy = "(t.n + ${tests} - b.first) % ${tests} < b.many".replaceAll("${tests}", String(tests))
  const at = (column: string) => `o.${column} - ${minutes("c.age")}`
  const isMain = `branch = '${branchOf(0)}'`
  yield* copies(
    "test_runs",
    `name = '${nameOf(0)}' AND ${isMain}`,
    `seeded_ci_runs c, seeded_branches b, seeded_tests t WHERE ${ofBranch} AND ${runBy}`,
    {
      id: "substr(o.id, 1, 8) || '-' || c.branch_number || '-' || c.age || '-' || t.n",
      test_id: "t.test_id",
      name: "t.name",
      status: "CASE WHEN (t.n + c.age) % 50 = 0 THEN 'failed' ELSE 'passed' END",
      branch: "b.branch",
      branch_digest: "b.digest",
      source: "c.source",
      source_digest: "c.source_digest",
      commit_sha: "c.commit_sha",
      created_at: at("created_at")
    }
  )
  const history = {
    test_id: "t.test_id",
    name: "t.name",
    last_run_at: `o.last_run_at - ${minutes("t.n % 100")}`,
    last_status: "CASE WHEN t.n % 50 = 0 THEN 'failed' ELSE 'passed' END",
    last_flaky_at: `CASE WHEN t.n % 40 = 0 THEN o.last_run_at - ${minutes("t.n % 100")} WHEN t.n % 40 = 1 THEN ${failedLongAgo} END`,
    p95_ms: "1000 + t.n"
  }
  const ofOthers = `seeded_tests t WHERE t.name <> '${nameOf(0)}'`
  yield* copies("test_histories", `name = '${nameOf(0)}' AND branch IS NULL`, ofOthers, history)
  yield* copies("test_histories", `name = '${nameOf(0)}' AND ${isMain}`, ofOthers, history)
  yield* copies(
    "test_histories",
    `name = '${nameOf(0)}' AND branch = '${branchOf(1)}'`,
    `seeded_branches b, seeded_tests t WHERE b.n > 1 AND ${runBy}`,
    { ...history, branch: "b.branch", branch_digest: "b.short" }
  )
  yield* copies("ci_runs", isMain, `seeded_ci_runs c, seeded_branches b WHERE ${ofBranch}`, {
    ci_run: "c.ci_run",
    source: "c.source",
    commit_sha: "c.commit_sha",
    pr: "CASE WHEN b.n = 0 THEN NULL ELSE b.n END",
    branch: "b.branch",
    branch_digest: "b.digest",
    started_at: at("started_at"),
    runs: "b.many",
    passed: "b.many - 40",
    failed: "40"
  })
}).pipe((filled) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const isPostgres = sql.onDialectOrElse({ sqlite: () => false, orElse: () => true })
    const bulk = isPostgres ? ["SET LOCAL statement_timeout = 0", "SET LOCAL session_replication_role = replica"] : []
    yield* Effect.all([...bulk.map((text) => sql.unsafe(text)), filled, sql.unsafe("ANALYZE")], { discard: true }).pipe(
      sql.withTransaction
    )
  })
)
