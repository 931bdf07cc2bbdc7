/**
 * `node hosts/bench/paths.ts` counts what one warm request runs on the embedded engines: files of Slipway, and calls of functions of
 * Effect, by V8's precise coverage. Fewer files are a shorter way for a reader, fewer calls for the processor. The numbers don't depend on
 * the machine. `--json` writes them for `paths.test.ts`.
 */
import { Effect, Layer, Redacted } from "effect"
import { createHash } from "node:crypto"
import { globSync, mkdtempSync, rmSync } from "node:fs"
import { Session, type Profiler } from "node:inspector/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { Administration } from "../../core/service/Administration.ts"
import { makeSlipway } from "../http/index.ts"
import { engines } from "../../adapters/embedded/index.ts"
import * as viewer from "../viewer/index.ts"

const root = new URL("../..", import.meta.url).href
const url = "http://127.0.0.1:18999"
const data = mkdtempSync(join(tmpdir(), "slipway-paths-"))
const embedded = engines({ data, url, secret: Redacted.make("x".repeat(40)) })
const slipway = makeSlipway({
  settings: { url },
  ports: embedded.ports,
  routes: Layer.merge(embedded.routes, viewer.layer({ secret: Redacted.make("y".repeat(40)) })),
  background: false
})
const { key } = await slipway.run(
  Administration.use((administration) =>
    Effect.gen(function* () {
      yield* administration.createAccount({ name: "acme" })
      yield* administration.linkRepository({ account: "acme", owner: "acme", repo: "app" })
      const scopes = ["builds", "preview_upload", "test_runs"] as const
      return yield* administration.createKey({ account: "acme", name: "ci", scopes })
    })
  )
)

const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })

const isFunction = ({ functionName, ranges: [range] }: Profiler.FunctionCoverage) =>
  range !== undefined && range.count > 0 && (functionName !== "" || range.startOffset > 0)

const counts = new Map<string, { readonly files: number; readonly calls: number }>()

/** Counts what a request runs, by the warm one that ran the least. */
const counted = async <A>(name: string, request: () => Promise<A>): Promise<A> => {
  await session.post("Profiler.takePreciseCoverage")
  const answer = await request()
  const { result } = await session.post("Profiler.takePreciseCoverage")
  const ran = result.map(({ functions, url }) => ({ url, functions: functions.filter(isFunction) }))
  const own = ran.filter(
    ({ functions, url }) =>
      url.startsWith(root) && !url.includes("node_modules") && url !== import.meta.url && functions.length > 0
  )
  const ofEffect = ran.filter(({ url }) => url.includes("node_modules/effect/")).flatMap(({ functions }) => functions)
  const calls = ofEffect.reduce((sum, { ranges }) => sum + (ranges[0]?.count ?? 0), 0)
  // What a request before it left to do may run meanwhile, so the fewest calls count.
  if (calls < (counts.get(name)?.calls ?? Infinity)) counts.set(name, { files: own.length, calls })
  return answer
}

const fetched = async (path: string, init: RequestInit): Promise<unknown> => {
  const response = await slipway.fetch(new Request(new URL(path, url), init))
  const text = await response.text()
  if (!response.ok && response.status !== 303) throw new Error(`${path}: ${response.status} ${text}`)
  return response.headers.get("content-type")?.includes("json") === true
    ? JSON.parse(text)
    : response.headers.get("set-cookie")
}
/** A text in an answer. */
const textAt = (answer: unknown, ...path: ReadonlyArray<string>): string =>
  String(path.reduce((value, name) => Reflect.get(Object(value), name), answer))

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
const post = (path: string, body: object) =>
  fetched(`/api/v1/${path}`, { method: "POST", headers, body: JSON.stringify(body) })
const put = (answer: unknown, body: Buffer<ArrayBuffer>) =>
  fetched(textAt(answer, "slots", "bundle", "putUrl"), {
    method: "PUT",
    headers: { "content-type": "text/javascript" },
    body
  })
const declared = (bytes: Buffer) => ({
  contentHash: createHash("sha256").update(bytes).digest("hex"),
  bundleSizeBytes: bytes.length,
  bundleContentType: "text/javascript"
})

/** A finalize answers before it has removed what was uploaded, which would count for the next request. */
const cleanedUp = async () => {
  while (globSync("**/uploads", { cwd: data }).length > 0) await setTimeout(1)
  // The removal of the folder still ends.
  for (let turns = 0; turns < 5; turns += 1) await setTimeout(1)
}

for (const round of [0, 1, 2]) {
  const bytes = Buffer.from(`console.log(${round})\n`.repeat(1000))
  const repository = { owner: "acme", repo: "app" }
  const commit = { branch: "main", platform: "ios", commitSha: String(round).padStart(40, "0") }
  const reservation = await counted("reserve a build", () =>
    post("builds", { ...repository, ...commit, ...declared(bytes) })
  )
  await counted("PUT 15 kB to files", () => put(reservation, bytes))
  const build = await counted("finalize", () =>
    post("builds", { operation: "finalize", token: textAt(reservation, "token") })
  )
  await cleanedUp()
  await counted("read a build", () => fetched(`/api/v1/builds/${textAt(build, "id")}`, { headers }))
  const app = Buffer.from(`console.log("preview ${round}")`)
  const preview = await post("previews", { ...repository, ...declared(app) })
  await put(preview, app)
  await post("previews/finalize", { token: textAt(preview, "token") })
  await cleanedUp()
  const status = round % 2 === 1 ? "passed" : "failed"
  const run = await counted("register a run", () =>
    post("test-runs", {
      ...repository,
      previewShareId: textAt(preview, "shareId"),
      kind: "maestro",
      name: "Pay",
      status
    })
  )
  const cookies = await fetched("/sign-in", {
    method: "POST",
    redirect: "manual",
    headers: { "content-type": "application/x-www-form-urlencoded", origin: url, "sec-fetch-site": "same-origin" },
    body: new URLSearchParams({ key, to: "/" })
  })
  const [cookie = ""] = textAt(cookies).split(";")
  await counted("page of a run", () =>
    fetched(new URL(textAt(run, "traceUrl")).pathname, { headers: { cookie, accept: "text/html" } })
  )
}
await slipway.dispose()
rmSync(data, { recursive: true })
const rows = Object.fromEntries(counts)
if (process.argv.includes("--json")) console.log(JSON.stringify(rows))
else console.table(rows)
process.exit(0)
