/**
 * `npm run bench:requests` measures how long one request within all limits holds the event loop of a host: for each
 * endpoint of the API that takes a body, the most expensive of the largest valid body and of a megabyte of anything at any place
 * that its schema knows; and reads, finalizes and deletions of the most that there can be. Milliseconds of the main thread's CPU
 * time, sorted; `--only testRuns` measures one group, and `--only tests` the histories of tests.
 */
import Table from "cli-table3"
import { Layer } from "effect"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { Worker } from "node:worker_threads"
import { hugeValues } from "../../http/security/testing/hostileBodies.ts"
import { validFiles, validRecordings } from "../../http/testing/largeBodies.ts"
import { jsonAt, jsonEndpoints, locationsOf } from "../../http/testing/jsonEndpoints.ts"
import { previewBody, runBody } from "../../http/testing/previews.ts"
import { bundle, commit, reserveBody, sha256 } from "../../http/testing/uploads.ts"
import { embeddedEngines } from "../../node/engines/chooseEngines.ts"
import { createClient } from "../../client/index.ts"
import { startHost } from "../benchHost.ts"
import { fill, owner, repo } from "../repository.ts"
import { measureHold, type ThreadTime } from "./loopHold.ts"
import type { Sent } from "./sender.ts"

/** A turn of the event loop that takes longer is marked. */
const boundMs = 20
const rounds = 5

const { values } = parseArgs({ options: { only: { type: "string", default: "" } } })
const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"))
const engines = embeddedEngines(folder)
const { key, runtime, url } = await startHost(engines, { rates: {} }, Layer.empty)
const buildId = await fill(url, key)
const client = createClient({ url, key })
const account = { owner, repo, key }
const files = validFiles.map((file, n) => ({ ...file, contentHash: n.toString(16).padStart(64, "0") }))
const largestPreview = previewBody({ files, recordings: validRecordings, owner, repo })
const reserved = await client.previews.reserve(largestPreview as never)
const reservedBuild = await client.builds.reserve(reserveBody(account, { commitSha: commit(2), files }) as never)
const { testRuns } = await client.testRuns.list({ org: owner, repo, limit: 1 })
const shareId = new URL(testRuns[0]?.previewUrl ?? url).pathname.split("/").at(-1) ?? ""
const mismatch = { path: "/", sizeBytes: -1, contentType: "x", contentHash: "y" }
const thousand = Array.from({ length: 1000 }, () => mismatch)
const largestRun = {
  ...runBody(account, shareId),
  status: Array.from({ length: 500 }, (_, index) => ({ [index]: index })),
  attempts: Array.from({ length: 20 }, () => ({ status: "failed", failureMessage: "x".repeat(16 * 1024) })),
  tags: Array.from({ length: 50 }, (_, index) => `${index}`.padEnd(100, "x"))
}

/** The largest bodies of each endpoint that are, or nearly are, valid. A new endpoint needs its own here. */
const largest: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  "builds.post": {
    "1,000 files": reserveBody(account, { files }),
    "1,000 files with 4 mismatches each": reserveBody(account, { files: thousand }),
    "finalize of 1,000 files": { operation: "finalize", token: reservedBuild.token }
  },
  "previews.reserve": {
    "1,000 files": largestPreview,
    "1,000 files with 4 mismatches each": previewBody({ files: thousand })
  },
  "previews.finalize": { "finalize of 1,000 files": { token: reserved.token } },
  "builds.createShareLink": { "a link": {} },
  "previews.createShareLink": {
    "1,000 unknown fields": Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [n, n]))
  },
  "testRuns.register": { "20 attempts, 50 tags, a large status": largestRun },
  "testRuns.createShareLink": { "a link": {} },
  "tokens.exchange": { "16,384 characters": { token: "x".repeat(16 * 1024) } }
}

const worker = new Worker(new URL("sender.ts", import.meta.url))
const answerTo = async (message: Sent | "send") => {
  worker.postMessage(message, [])
  const [answer] = await once(worker, "message")
  return answer as { readonly status: number }
}

interface Row extends ThreadTime {
  readonly endpoint: string
  readonly body: string
  readonly status: number
}

interface Asked {
  readonly method: "GET" | "POST" | "DELETE"
  readonly path: string
  readonly body?: string
}
const get = (path: string): Asked => ({ method: "GET", path })
const post = (path: string, body: unknown): Asked => ({
  method: "POST",
  path,
  body: typeof body === "string" ? body : JSON.stringify(body)
})

/** Deletes another one of these in each round. */
const deletionOf = (group: string, ids: ReadonlyArray<string>) => {
  const left = [...ids]
  return () => Promise.resolve<Asked>({ method: "DELETE", path: `/api/v1/${group}/${left.shift()}` })
}

/**
 * Measures a request, or one that is made for each round: the median of some rounds, so that a first compilation or a garbage
 * collection doesn't count, nor the CPU clock, which some systems advance by 4 ms at a time.
 */
const measure = async (
  endpoint: string,
  what: string,
  asked: Asked | (() => Promise<Asked>),
  times: number
): Promise<Row> => {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
  const all: Array<Row> = []
  for (let round = 0; round < times; round += 1) {
    const { body, method, path } = typeof asked === "function" ? await asked() : asked
    await answerTo({ url: `${url}${path}`, method, headers, body })
    const { hold, result } = await measureHold(() => answerTo("send"))
    all.push({ endpoint, body: what, status: result.status, ...hold })
  }
  const [median] = all.toSorted((a, b) => a.longestMs - b.longestMs).slice(Math.floor(times / 2))
  if (median === undefined) throw new Error("A request is measured at least once")
  return median
}

const table = new Table({
  head: ["endpoint", "body", "status", "longest turn ms", "in total ms", ""],
  colAligns: ["left", "left", "right", "right", "right", "left"],
  style: { head: [], border: [], compact: true }
})

const rows: Array<Row> = []
for (const { bounds, name, path } of jsonEndpoints.filter((one) => one.name.startsWith(values.only))) {
  process.stderr.write(`${name}\n`)
  const valid = largest[name]
  if (valid === undefined) throw new Error(`${name} has no largest body here: add one`)
  const bodies = [
    ...Object.entries(valid).map(([what, body]) => [what, JSON.stringify(body)] as const),
    ...locationsOf(bounds).flatMap(([place]) =>
      Object.entries(hugeValues).map(
        ([what, json]) => [`${what}, as ${place.join(".") || "the body"}`, jsonAt(place, json)] as const
      )
    )
  ]
  const first: Array<readonly [Row, string]> = []
  for (const [what, body] of bodies) first.push([await measure(name, what, post(path, body), 1), body])
  first.sort(([one], [other]) => other.longestMs - one.longestMs)
  const again: Array<Row> = []
  for (const [{ body: what }, body] of first.filter(([row], index) => index < 8 || row.body in valid))
    again.push(await measure(name, what, post(path, body), rounds))
  again.sort((one, other) => other.longestMs - one.longestMs)
  rows.push(...again.filter(({ body }, index) => index === 0 || body in valid))
}

for (let link = 0; link < 100; link += 1) await client.previews.share(shareId)
const reads = {
  "builds.latest": ["a build", `/api/v1/builds?owner=${owner}&repo=${repo}&branch=main`],
  "builds.read": ["a build", `/api/v1/builds/${buildId}`],
  "previews.read": [
    "1,000 files, 100 recordings",
    `/api/v1/previews/${new URL(reserved.url).pathname.split("/").at(-1)}`
  ],
  "previews.listShareLinks": ["100 links", `/api/v1/previews/${shareId}/shares`],
  "usage.read": ["an account's usage", "/api/v1/usage"]
} as const
for (const [endpoint, [what, path]] of Object.entries(reads))
  if (endpoint.startsWith(values.only)) rows.push(await measure(endpoint, what, get(path), rounds))

const sent = [
  ["builds", "builds.post", "/api/v1/builds"],
  ["previews", "previews.finalize", "/api/v1/previews/finalize"]
] as const
for (const [group, endpoint, path] of sent.filter(([, name]) => name.startsWith(values.only))) {
  let uploads = 0
  const hosted: Array<string> = []
  const uploaded = async () => {
    uploads += 1
    const bytes = Array.from({ length: 1000 }, (_, n) => Buffer.from(`${group} ${uploads} ${n}`))
    const files = bytes.map((one, n) => ({
      path: `${n}/`.padEnd(820, "x"),
      sizeBytes: one.byteLength,
      contentType: "text/plain",
      contentHash: sha256(one)
    }))
    const body = reserveBody(account, { commitSha: commit(1000 + uploads), files })
    const { slots, token, url } = await client[group].reserve(body as never)
    await client.put(slots.bundle, bundle)
    for (const [n, slot] of slots.files.entries()) await client.put(slot, bytes[n] ?? bundle)
    hosted.push(new URL(url).pathname.split("/").at(-1) ?? "")
    return post(path, { operation: "finalize", token })
  }
  rows.push(await measure(endpoint, "finalize of 1,000 uploaded files", uploaded, rounds))
  if (group === "previews") {
    const list = get(`/api/v1/previews?owner=${owner}&repo=${repo}&limit=30`)
    rows.push(await measure("previews.list", "previews of 1,000 files each, limit 30", list, rounds))
  }
  rows.push(await measure(`${group}.delete`, "1,000 files", deletionOf(group, hosted), rounds))
}

if ("testRuns.list".startsWith(values.only)) {
  // Of three bytes a character, so that each report has nearly a mebibyte.
  const message = "\u{8349}".repeat(16 * 1024)
  const attempts = largestRun.attempts.map((attempt) => ({ ...attempt, failureMessage: message }))
  const ids: Array<string> = []
  for (let run = 0; run < 30; run += 1)
    ids.push((await client.testRuns.register({ ...largestRun, attempts } as never)).id)
  const path = `/api/v1/test-runs?org=${owner}&repo=${repo}&limit=100`
  rows.push(await measure("testRuns.list", "runs of 1 MiB each, limit 100", get(path), rounds))
  rows.push(await measure("testRuns.delete", "a run of 1 MiB beside 29 such", deletionOf("test-runs", ids), rounds))
}

if (values.only === "" || values.only.startsWith("tests")) {
  const long = "\u{8349}".repeat(255)
  const runOf = (source: number) => ({
    ...runBody(account, shareId),
    name: "A full history",
    status: "failed",
    branch: long,
    commitSha: commit(3),
    device: { name: long },
    failureMessage: long,
    source: `https://ci.example/${source}`.padEnd(255, "x")
  })
  const ids: Array<string> = []
  const register = async (until: number) => {
    while (ids.length < until) ids.push((await client.testRuns.register(runOf(ids.length % 100) as never)).id)
  }
  await register(300)
  const full = "100 results of three runs with the longest texts"
  const { tests } = await client.tests.list({ org: owner, repo, limit: 100 })
  const id = tests.find(({ name }) => name === runOf(0).name)?.id
  const of = `org=${owner}&repo=${repo}`
  rows.push(
    await measure("testRuns.register", `beside ${full}`, post("/api/v1/test-runs", runOf(1)), rounds),
    await measure("tests.read", full, get(`/api/v1/tests/${id}`), rounds),
    await measure("tests.list", "the tests of a repository", get(`/api/v1/tests?${of}&limit=100`), rounds),
    await measure("sources.read", full, get(`/api/v1/sources/${encodeURIComponent(runOf(1).source)}?${of}`), rounds)
  )
  await register(2000)
  rows.push(await measure("testRuns.delete", "one of 2,000 runs of a test", deletionOf("test-runs", ids), rounds))
}

for (const { body, endpoint, longestMs, status, totalMs } of rows.toSorted((a, b) => b.longestMs - a.longestMs))
  table.push([
    endpoint,
    body,
    status,
    longestMs.toFixed(1),
    totalMs.toFixed(1),
    longestMs > boundMs ? `over ${boundMs}` : ""
  ])
console.log(table.toString())

await worker.terminate()
await runtime.dispose()
rmSync(folder, { recursive: true, force: true })
