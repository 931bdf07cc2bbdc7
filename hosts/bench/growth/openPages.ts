/** What open pages cost a host: each listens to the changes of its account, and loads itself again when something changed. */
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { layerClient } from "../../../adapters/postgres/index.ts"
import { createClient } from "../../client/index.ts"
import { cookieOf, type Side } from "../peers/slipway.ts"
import { cpuMillisOf, type Program, started } from "../program.ts"
import { owner, repo } from "../repository.ts"

const named = String(new URLSearchParams({ owner, repo }))
const paths = ["/", `/repositories?${named}`, `/sources?${named}&source=bench:1/1`]

/** A page as a browser has it open. It waits for as long as the host says, at a random moment, as the page's script does. */
const open = async (url: string, cookie: string, index: number, signal: AbortSignal): Promise<number> => {
  const headers = { cookie }
  const decoder = new TextDecoder()
  let [loads, seen, isWaiting] = [0, "", false]
  const load = async (seconds: number): Promise<void> => {
    isWaiting = true
    await sleep(500 + Math.random() * seconds * 1000, undefined, { signal })
    isWaiting = false
    await (await fetch(url + (paths[index % paths.length] ?? "/"), { headers, signal })).text()
    loads += 1
  }
  const stream = await fetch(`${url}/changes`, { headers, signal })
  if (stream.status !== 200 || stream.body === null) throw new Error(`/changes answered ${stream.status}`)
  try {
    for await (const chunk of stream.body) {
      const [, id = "", data = ""] = /^id: (\S*)\ndata: (\d+)/m.exec(decoder.decode(chunk)) ?? []
      if (id === "") continue
      if (seen !== "" && seen !== id && !isWaiting) void load(Number(data)).catch(() => undefined)
      seen = id
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
  return loads
}

/** The share of a core that a host needs for so many seconds with open pages, while runs are registered, and the same without pages. */
export const openPages = async (
  { key, pid, url }: Pick<Side, "key" | "pid" | "url">,
  options: { readonly pages: number; readonly seconds: number; readonly runs: number }
) => {
  const client = createClient({ url, key })
  const cookie = await cookieOf(url, key)
  const { testRuns } = await client.testRuns.list({ org: owner, repo, limit: 1 })
  const previewShareId = testRuns[0]?.previewShareId ?? ""
  const measured = async (): Promise<number> => {
    const before = cpuMillisOf(pid)
    for (let run = 0; run < options.runs; run += 1) {
      await sleep((options.seconds * 1000) / options.runs)
      await client.testRuns.register({
        kind: "maestro",
        name: `run ${run}`,
        status: "passed",
        owner,
        repo,
        branch: "main",
        source: "bench:1/1",
        previewShareId
      })
    }
    return (cpuMillisOf(pid) - before) / (options.seconds * 1000)
  }
  const without = await measured()
  const controller = new AbortController()
  const pages = Array.from({ length: options.pages }, (_, index) => open(url, cookie, index, controller.signal))
  // The first lines of the streams.
  await sleep(5000)
  const share = await measured()
  controller.abort()
  const loads = (await Promise.all(pages)).reduce((sum, count) => sum + count, 0)
  return { share, without, loads }
}

// The finalize of a large preview, by Slipway and by a bare Node.

const sizeBytes = 100 * 1024 ** 2

/** Uploads a preview with so many files of 100 MiB, and answers what finalizes it. */
export const largePreview = async ({ key, url }: Side, count: number): Promise<() => Promise<unknown>> => {
  const content = randomBytes(sizeBytes)
  const contentHash = createHash("sha256").update(content).digest("hex")
  const contentType = "application/octet-stream"
  const client = createClient({ url, key })
  const { slots, token } = await client.previews.reserve({
    contentHash,
    bundleSizeBytes: sizeBytes,
    bundleContentType: contentType,
    files: Array.from({ length: count - 1 }, (_, index) => ({
      path: `${index}.bin`,
      sizeBytes,
      contentType,
      contentHash
    }))
  })
  for (const slot of [slots.bundle, ...slots.files]) await client.put(slot, content)
  return () => client.previews.finalize(token)
}

/** Answers a small text to a GET. To a POST to `/finalize` it answers the digest of each file in its folder, two at once. */
const program = `
  import { createHash } from "node:crypto"
  import { createReadStream, readdirSync } from "node:fs"
  import { createServer } from "node:http"
  import { join } from "node:path"
  import { pipeline } from "node:stream/promises"
  const folder = process.argv[2]
  const digests = async () => {
    const next = readdirSync(folder).values()
    const found = []
    const work = async () => {
      for (const name of next) {
        const hash = createHash("sha256")
        await pipeline(createReadStream(join(folder, name)), hash)
        found.push(hash.digest("hex"))
      }
    }
    await Promise.all([work(), work()])
    return found
  }
  const server = createServer(async (request, response) => {
    request.resume().on("error", () => {})
    if (request.url === "/finalize") return response.end(JSON.stringify(await digests()))
    if (request.method === "GET") response.end("there")
  })
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

/** A bare Node beside so many files of 100 MiB, which its finalize reads. */
export const startBare = async (root: string, count: number): Promise<Program> => {
  const folder = mkdtempSync(join(root, "bare-"))
  const file = join(root, "bare.mjs")
  writeFileSync(file, program)
  const content = randomBytes(sizeBytes)
  for (let index = 0; index < count; index += 1) writeFileSync(join(folder, String(index)), content)
  return started([file, folder], { cwd: root })
}

/** `count` copies of the oldest row of a table, each a second older than the one before it. */
const copies = (table: string, count: number, own: string): string => `
  INSERT INTO ${table} SELECT copy.*
  FROM ${table} first, generate_series(1, ${count}) n, jsonb_populate_record(first, jsonb_build_object(
      'id', first.id || '-' || n, 'created_at', first.created_at - n * interval '1 second', ${own}
    )) copy
  WHERE first.id = (SELECT id FROM ${table} ORDER BY created_at, id LIMIT 1)`

/** Fills a host's database with so many older builds and test runs of the repository that is measured. */
export const fillDatabase = (url: string, count: number): Promise<void> =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const statements = [
      "SET LOCAL statement_timeout = 0",
      // Without what the database counts by itself for each row, of which a million in one commit take hours.
      "SET LOCAL session_replication_role = replica",
      copies("test_runs", count, "'name', 'run ' || n % 1000"),
      // Their reservations ended long ago, as those of all builds but the newest.
      copies(
        "builds",
        count,
        `'commit_sha', lpad(to_hex(n), 40, '0'), 'reserved_until', first.created_at - n * interval '1 second',
          'ready_by', left(first.ready_by, 14) || lpad(to_hex(n), 8, '0')`
      ),
      "ANALYZE test_runs",
      "ANALYZE builds"
    ]
    yield* Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true }).pipe(
      sql.withTransaction
    )
  }).pipe(Effect.provide(layerClient({ url: Redacted.make(url) })), Effect.runPromise)
