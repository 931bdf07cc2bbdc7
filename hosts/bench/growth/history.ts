/** The history of 2,000 tests on 400 branches: its pages among a million runs, and what it adds to the registration of a run. */
import { Array, Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import * as postgres from "../../../adapters/postgres/index.ts"
import { recording } from "../../../adapters/sql/testing/statements.ts"
import * as sqlite from "../../../adapters/sqlite/index.ts"
import * as core from "../../../core/layer.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import type { RepositoryId } from "../../../core/model/Repository.ts"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import type { Ports } from "../../../core/ports/registry.ts"
import { maxResults } from "../../../core/rules/testResults.ts"
import { ciRunOfSource, testIdOf } from "../../../core/rules/testRuns.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import { createClient } from "../../client/index.ts"
import { embeddedObjects } from "../../node/engines/chooseEngines.ts"
import { startHost } from "../benchHost.ts"
import { cookieOf } from "../peers/slipway.ts"
import { cpuMillisOf, quantile } from "../program.ts"
import { owner, repo } from "../repository.ts"

/** Quantiles of the milliseconds of reads. */
export interface Times {
  readonly p50: number
  readonly p99: number
}

/** Reads and writes no histories. */
const layerWithoutHistory = Layer.effectContext(
  Effect.gen(function* () {
    const [runs, histories] = [yield* TestRunStore, yield* TestHistoryStore]
    const nothing = { all: Option.none(), branch: Option.none(), ciRun: Option.none(), quarantine: Option.none() }
    return Context.make(TestRunStore, {
      ...runs,
      insert: (change) => runs.insert({ ...change, history: undefined })
    }).pipe(
      Context.add(TestHistoryStore, {
        ...histories,
        loadForRun: () => Effect.succeed(nothing),
        room: () => Effect.succeed({ tests: 0, oldestSingle: Option.none() })
      })
    )
  })
)

/** The ports on a database, and the client that fills it. */
const metadataOn = {
  SQLite: (file: string) =>
    sqlite.layer.pipe(Layer.provide(sqlite.layerMigrations), Layer.provideMerge(sqlite.layerClient({ file }))),
  PostgreSQL: (url: string) =>
    postgres.layer.pipe(
      Layer.provide(postgres.layerMigrations),
      Layer.provideMerge(postgres.layerClient({ url: Redacted.make(url) }))
    )
}

/** The CPU time in microseconds that this process and the server have taken; what a connection took counts also when it has ended. */
const cpuMicros = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const processes = yield* sql.onDialectOrElse({
    sqlite: () => Effect.succeed<ReadonlyArray<{ readonly pid: number }>>([]),
    orElse: () => sql<{ readonly pid: number }>`
      SELECT pid FROM pg_stat_activity WHERE backend_type <> 'autovacuum worker'
      UNION ALL SELECT CAST(split_part(pg_read_file('postmaster.pid'), chr(10), 1) AS integer)
    `
  })
  const { system, user } = process.cpuUsage()
  return user + system + 1000 * processes.reduce((sum, { pid }) => sum + cpuMillisOf(pid), 0)
})

/** What a registration costs with histories and without, alternately: its statements, and microseconds of CPU time. */
const registration = Effect.fnUntraced(function* (key: string, previewShareId: ShareId, rounds: number, runs: number) {
  const caller = yield* (yield* Authorization).authenticate(Redacted.make(key))
  const other = Context.get(
    yield* Layer.build(Layer.fresh(core.layer).pipe(Layer.provide(layerWithoutHistory))),
    TestRuns
  )
  const side = (service: TestRuns["Service"]) => ({ service, cpu: Array.empty<number>(), statements: 0 })
  const [history, without] = [side(yield* TestRuns), side(other)]
  const register = (service: TestRuns["Service"], source: string) => (test: number) =>
    Effect.flatMap(DateTime.now, (startedAt) =>
      service.register(caller, {
        owner,
        repo,
        report: {
          ...ofTests,
          name: nameOf(test),
          status: "passed",
          branch: "main",
          commitSha: sha256(source).digest("hex").slice(0, 40),
          source,
          startedAt,
          durationMs: 9000,
          previewShareId
        }
      })
    )
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, side] of [history, without].entries()) {
      const one = register(side.service, `measured:${index}-${round}/1`)
      side.statements = (yield* recording(one(tests - 1))).statements.length
      const before = yield* cpuMicros
      yield* Effect.forEach(
        Array.makeBy(runs, (n) => n),
        one,
        { concurrency: 8, discard: true }
      )
      // The first round warms up and doesn't count.
      if (round > 0) side.cpu.push(((yield* cpuMicros) - before) / runs)
    }
  }
  const costOf = ({ cpu, statements }: typeof history) => ({ cpu: quantile(cpu), statements })
  return { history: costOf(history), without: costOf(without) }
})

/** Registers the runs of one test, of which the others are copies: on `main`, and on another branch. Answers their preview. */
const fillTest = async (url: string, key: string): Promise<ShareId> => {
  const client = createClient({ url, key })
  const bundle = { body: new TextEncoder().encode("bench"), contentType: "text/javascript" }
  const { shareId } = await client.previews.upload({ owner, repo, isTransformed: true, bundle })
  for (const [branch, count] of [
    [1, ciRunsOfBranch],
    [0, maxResults]
  ] as const) {
    for (let index = 0; index < count; index += 1) {
      const failed = index % 10 === 0 || index >= count - 3
      await client.testRuns.register({
        name: nameOf(0),
        status: failed ? "failed" : "passed",
        ...(failed ? { failureMessage: `Element not found: id: button-${index}` } : {}),
        owner,
        repo,
        branch: branchOf(branch),
        commitSha: sha256(`${branch} ${index}`).digest("hex").slice(0, 40),
        source: `first:${branch}-${index}/1`,
        durationMs: 5000 + index,
        ...ofTests,
        previewShareId: shareId
      })
    }
  }
  return ShareId.make(shareId)
}

/** The history of a large repository on an engine: the times of its pages, and what a registration costs with it and without. */
export const measureHistory = async (
  engine: keyof typeof metadataOn,
  database: string,
  options: {
    readonly folder: string
    readonly rounds: number
    readonly runs: number
    readonly times: (read: () => Promise<unknown>) => Promise<Times>
  }
) => {
  const metadata: Layer.Layer<Exclude<Ports, ObjectStore> | SqlClient.SqlClient, unknown> = metadataOn[engine](database)
  const { name, ports, routes } = embeddedObjects(options.folder)
  const engines = { metadata: engine, objects: name, ports: Layer.merge(metadata, ports), routes }
  const { key, runtime, url } = await startHost(engines, { rates: {}, quotas: {} }, metadata)
  try {
    const previewShareId = await fillTest(url, key)
    process.stderr.write(`${engine}: filling in 1,000,000 test runs\n`)
    await runtime.runPromise(fillDatabase)
    const cookie = await cookieOf(url, key)
    const repository = `/repositories?${new URLSearchParams({ owner, repo })}`
    const repositoryId = await runtime.runPromise(idOfRepository)
    const test = testIdOf({ repositoryId, ...ofTests, name: nameOf(1) })
    const paths = {
      home: "/",
      "page of the repository": repository,
      "its tests": `${repository}&tab=tests`,
      "its CI runs": `${repository}&tab=runs`,
      "page of a test": `/tests/${test}?branch=main`,
      "page of a CI run with 250 tests": `/sources?${new URLSearchParams({ owner, repo, source: "seeded:7-1/1" })}`,
      "search of a test": "/search?q=flow+19",
      "search of a text without matches": "/search?q=nothing",
      "search of a branch": "/search?q=feature/77",
      "search of a commit": "/search?q=abc12"
    }
    const pages = new Map<string, { readonly times: Times; readonly cpu: number }>()
    for (const [name, path] of Object.entries(paths)) {
      let reads = 0
      const read = async () => {
        reads += 1
        const answer = await fetch(url + path, { headers: { cookie } })
        const text = await answer.text()
        if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${text.slice(0, 500)}`)
      }
      await read()
      const before = await runtime.runPromise(cpuMicros)
      const times = await options.times(read)
      pages.set(name, { times, cpu: ((await runtime.runPromise(cpuMicros)) - before) / (reads - 1) })
    }
    const cost = await runtime.runPromise(
      Effect.scoped(registration(key, previewShareId, options.rounds, options.runs))
    )
    return { pages, ...cost }
  } finally {
    await runtime.dispose()
  }
}

// Fills a database with the history of 2,000 tests on 400 branches: a million runs.

const branches = 400
export const tests = 2000
/** The newest CI runs of each branch: half of the runs are of `main`, whose CI runs all tests, and the others run an eighth. */
const ciRunsOfMain = 250
const ciRunsOfBranch = 5
const testsOfBranch = tests / 8

export const sha256 = (text: string) => createHash("sha256").update(text)
export const nameOf = (test: number): string => `flow ${test}`
const branchOf = (branch: number): string => (branch === 0 ? "main" : `feature/${branch}`)

/** What identifies each of the tests, beside its name. */
export const ofTests = {
  kind: "maestro",
  device: { name: "Pixel 8", platform: "android" },
  file: "flows/checkout/pay.yaml"
} as const

const idOfRepository = Effect.gen(function* () {
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
