/**
 * `npm run bench:cost` prints what operators need to size a machine with PostgreSQL and files: the CPU time and the statements of 1,000
 * uploaded builds and of 1,000 viewed pages, and the storage of each hosted byte. It also uploads ten times as many builds to one host
 * and to two on the same database. `--quick` does a tenth.
 */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { globSync, mkdtempSync, rmSync, statSync } from "node:fs"
import { randomBytes } from "node:crypto"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { layerClient } from "../../../adapters/postgres/index.ts"
import { startPostgres } from "../../../adapters/postgres/testing/startPostgres.ts"
import { createClient } from "../../client/index.ts"
import { cookieOf, reserveBody, startSlipway, type Side } from "../peers/slipway.ts"
import { bundledIn, familyCpuMillis, started } from "../program.ts"
import { fill, owner, repo } from "../repository.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const thousand = values.quick ? 100 : 1000
const bundleBytes = 64 * 1024
const root = mkdtempSync(join(tmpdir(), "slipway-bench-cost-"))
const data = join(root, "data")
const settings = ["fsync=on", "synchronous_commit=on", "shared_preload_libraries=pg_stat_statements"]
const database = await startPostgres({ settings })
const stops = [database.remove]

const asked = (statement: string): Promise<number> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<{ readonly n: number }>(statement)).pipe(
    Effect.map(([row]) => Number(row?.n)),
    Effect.provide(layerClient({ url: Redacted.make(database.url) })),
    Effect.runPromise
  )

// Neither of this question nor of the new connection that asks it.
const statements = () =>
  asked("SELECT sum(calls) AS n FROM pg_stat_statements WHERE query NOT LIKE '%pg\\_%' AND query <> 'SELECT $1'")

const storedBytes = async (): Promise<number> => {
  const files = globSync("**", { cwd: data, withFileTypes: true }).filter((file) => file.isFile())
  const inFiles = files.reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0)
  return inFiles + (await asked("SELECT pg_database_size(current_database()) AS n"))
}

/** Does something so many times, a few at a time. */
const times = async (count: number, act: (index: number) => Promise<unknown>): Promise<void> => {
  const indexes = Array.from({ length: count }, (_, index) => index).values()
  const work = async () => {
    for (const index of indexes) await act(index)
  }
  await Promise.all(Array.from({ length: 16 }, work))
}

const uploads = (hosts: ReadonlyArray<{ readonly url: string }>, key: string) => {
  const clients = hosts.map(({ url }) => createClient({ url, key }))
  return async (index: number): Promise<void> => {
    const client = clients[index % clients.length]
    const bundle = randomBytes(bundleBytes)
    const reserved = await client?.builds.reserve(reserveBody(bundle))
    if (client === undefined || reserved === undefined) throw new Error("there is no host")
    await client.put(reserved.slots.bundle, bundle)
    await client.builds.finalize(reserved.token)
  }
}

const pages = async ({ key, url }: Side, build: string) => {
  const cookie = await cookieOf(url, key)
  const { testRuns } = await createClient({ url, key }).testRuns.list({ org: owner, repo, limit: 1 })
  const run = testRuns[0]?.traceUrl ?? ""
  const paths = [
    `${url}/`,
    `${url}/repositories?${new URLSearchParams({ owner, repo })}`,
    `${url}/builds/${build}`,
    run
  ]
  return async (index: number): Promise<void> => {
    const path = paths[index % paths.length] ?? ""
    const answer = await fetch(path, { headers: { cookie } })
    await answer.text()
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}`)
  }
}

const perThousand = (count: number, digits = 2): string => ((count * 1000) / thousand).toFixed(digits)

try {
  const main = await bundledIn(root)
  const env = {
    DATABASE_URL: database.url,
    SLIPWAY_SECRET: "a secret of the bench, long enough to be one",
    SLIPWAY_DATA: data
  }
  const one = await startSlipway(main, root, env)
  stops.push(one.stop)
  await asked("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
  const build = await fill(one.url, one.key)
  const state = async () => ({
    host: familyCpuMillis(one.pid),
    database: familyCpuMillis(database.pid() ?? 0),
    statements: await statements()
  })
  const measured = async (act: (index: number) => Promise<unknown>): Promise<ReadonlyArray<string>> => {
    await times(thousand / 5, act)
    const before = await state()
    await times(thousand, act)
    const after = await state()
    return [
      `${perThousand((after.host - before.host) / 1000)} s`,
      `${perThousand((after.database - before.database) / 1000)} s`,
      perThousand(after.statements - before.statements, 0)
    ]
  }
  const before = await storedBytes()
  const ofUploads = await measured(uploads([one], one.key))
  const hosted = thousand * 1.2 * bundleBytes
  const stored = ((await storedBytes()) - before) / hosted
  const ofPages = await measured(await pages(one, build))
  const two = await started([main, "serve", "--port", "0"], { cwd: root, env: { ...process.env, ...env } })
  stops.push(two.stop)
  const perSecond = async (hosts: ReadonlyArray<{ readonly url: string }>): Promise<number> => {
    const act = uploads(hosts, one.key)
    await times(thousand, act)
    const began = performance.now()
    await times(thousand * 10, act)
    return (thousand * 10_000) / (performance.now() - began)
  }
  const ofOne = await perSecond([one])
  const ofTwo = await perSecond([one, { url: two.line.split(" ").at(-1) ?? "" }])
  console.log(
    [
      "| 1,000 × | CPU of the host | CPU of PostgreSQL | statements |",
      "| --- | --- | --- | --- |",
      `| uploaded build of one file of 64 KiB | ${ofUploads.join(" | ")} |`,
      `| viewed page (home, repository, build, run) | ${ofPages.join(" | ")} |`,
      "",
      `Storage: ${stored.toFixed(2)} bytes for each hosted byte, of files of 64 KiB, metadata included.`,
      `Uploaded builds per second: ${ofOne.toFixed(0)} with one host, ${ofTwo.toFixed(0)} with two (${(ofTwo / ofOne).toFixed(2)}).`
    ].join("\n")
  )
} finally {
  for (const stop of stops.toReversed()) await stop()
  rmSync(root, { recursive: true, force: true })
}
