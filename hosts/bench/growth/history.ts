/** The history of 2,000 tests on 400 branches: its pages among a million runs, and what it adds to the registration of a run. */
import { Array, Context, DateTime, Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as postgres from "../../../adapters/postgres/index.ts"
import { recording } from "../../../adapters/sql/testing/statements.ts"
import * as sqlite from "../../../adapters/sqlite/index.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import type { Ports } from "../../../core/ports/registry.ts"
import { TestHistoryStore } from "../../../core/ports/TestHistoryStore.ts"
import { TestRunStore } from "../../../core/ports/TestRunStore.ts"
import { testIdOf } from "../../../core/rules/testRuns.ts"
import { mostResults } from "../../../core/rules/testResults.ts"
import { Authorization } from "../../../core/service/Authorization.ts"
import { TestRuns } from "../../../core/service/TestRuns.ts"
import * as core from "../../../core/layer.ts"
import { createClient } from "../../client/index.ts"
import { embeddedObjects } from "../../node/engines/chooseEngines.ts"
import {
  branchOf,
  ciRunsOfBranch,
  fillDatabase,
  idOfRepository,
  nameOf,
  ofTests,
  sha256,
  tests
} from "./fillHistory.ts"
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
    const nothing = { all: Option.none(), branch: Option.none(), ciRun: Option.none() }
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
    [0, mostResults]
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
