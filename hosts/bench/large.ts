/**
 * `npm run bench:large`: 32 previews of 100 MiB on the published program, with its metadata in SQLite and its objects in
 * files and, where Ceph is installed, on S3: PUTs of all at once, then all finalized at once; the 99th percentile of another
 * request meanwhile, and the most memory of the process. Beside it: a bare Node that takes the same PUTs into files, and one
 * that reads the same objects from the same store; both take digests. `--only files` leaves S3 out, `--main FILE` measures
 * the program of another version.
 */
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3"
import Table from "cli-table3"
import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { request } from "node:http"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import { parseArgs, promisify } from "node:util"
import { isCephInstalled, startCeph, type S3Server } from "../../adapters/s3/testing/startCeph.ts"
import { createClient } from "../client/index.ts"
import { bundledIn, memoryOf, quantile, started } from "./program.ts"
import { fill, owner, repo } from "./repository.ts"

const { values } = parseArgs({ options: { main: { type: "string" }, only: { type: "string" } } })
const many = 32
const mebibyte = 1024 ** 2
const sizeBytes = 100 * mebibyte
const contentType = "application/octet-stream"
const content = randomBytes(sizeBytes)
const contentHash = createHash("sha256").update(content).digest("hex")
const root = mkdtempSync(join(tmpdir(), "slipway-bench-large-"))

/** What a bare Node needs to take PUTs into files that are forced to the disk, with their digests. */
const bareSink = `
  import { createHash, randomUUID } from "node:crypto"
  import { createServer } from "node:http"
  import { open } from "node:fs/promises"
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return response.end("there")
    const hash = createHash("sha256")
    const file = await open(process.argv[2] + "/" + randomUUID(), "w")
    for await (const chunk of request) { hash.update(chunk); await file.write(chunk) }
    await file.sync()
    await file.close()
    response.end(hash.digest("hex"))
  })
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

/** Does something, and answers how long it took in seconds and the 99th percentile of another request meanwhile. */
const during = async (other: () => Promise<unknown>, work: Promise<unknown>) => {
  const began = performance.now()
  const state = { isOver: false }
  const ended = work.finally(() => (state.isOver = true))
  const taken: Array<number> = []
  while (!state.isOver) {
    const start = performance.now()
    await other()
    taken.push(performance.now() - start)
  }
  await ended
  return { seconds: (performance.now() - began) / 1000, p99: quantile(taken, 0.99) }
}

interface Row {
  readonly name: string
  readonly put?: Awaited<ReturnType<typeof during>>
  readonly finalize?: Awaited<ReturnType<typeof during>>
  readonly peakMiB?: number
}

const perSecond = (seconds: number) => (many * 100) / seconds

const onHost = async (name: string, main: string, env: NodeJS.ProcessEnv): Promise<Row> => {
  const cwd = mkdtempSync(join(root, "data-"))
  const place = { cwd, env: { ...process.env, SLIPWAY_DATA: join(cwd, "data"), ...env } }
  const { line, pid, stop } = await started([main, "serve", "--port", "0"], place)
  const url = line.split(" ").at(-1) ?? ""
  const slipway = async (...args: ReadonlyArray<string>) =>
    (await promisify(execFile)(process.execPath, [main, ...args, "--json"], place)).stdout
  await slipway("account", "create", "bench")
  await slipway("repo", "link", `${owner}/${repo}`, "--account", "bench")
  const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])
  const { key } = JSON.parse(await slipway("key", "create", "--account", "bench", "--name", "bench", ...scopes))
  const client = createClient({ url, key })
  const build = await fill(url, key)
  const other = () => client.builds.read(build)
  const declared = { contentHash, bundleSizeBytes: sizeBytes, bundleContentType: contentType }
  const reserved = await Promise.all(Array.from({ length: many }, () => client.previews.reserve(declared)))
  const put = await during(other, Promise.all(reserved.map(({ slots }) => client.put(slots.bundle, content))))
  const peakMiB = memoryOf(pid, "VmHWM")
  const finalize = await during(other, Promise.all(reserved.map(({ token }) => client.previews.finalize(token))))
  await stop()
  rmSync(cwd, { recursive: true })
  return { name, put, finalize, peakMiB }
}

const onBareSink = async (): Promise<Row> => {
  const cwd = mkdtempSync(join(root, "bare-"))
  const file = join(root, "sink.mjs")
  writeFileSync(file, bareSink)
  const { line, pid, stop } = await started([file, cwd], { cwd })
  // A `fetch` would copy the content for each of them.
  const send = async () => {
    const [answer] = await once(request(line, { method: "PUT" }).end(content), "response")
    await text(answer)
  }
  const other = async () => (await fetch(line)).text()
  const put = await during(other, Promise.all(Array.from({ length: many }, send)))
  const peakMiB = memoryOf(pid, "VmHWM")
  await stop()
  rmSync(cwd, { recursive: true })
  return { name: "bare Node, files", put, peakMiB }
}

/** Reads every large object of a bucket, two at once as a host does for one account, and takes its digest. */
const onBareReader = async ({ bucket, ...server }: S3Server): Promise<Row> => {
  const client = new S3Client({ ...server, credentials: server, forcePathStyle: true })
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }))
  const next = Contents.filter(({ Size }) => Size === sizeBytes).values()
  const read = async () => {
    for (const { Key } of next) {
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key }))
      if (!(Body instanceof Readable)) throw new Error("the body is no stream")
      const hash = createHash("sha256")
      for await (const chunk of Body) hash.update(chunk)
      if (hash.digest("hex") !== contentHash) throw new Error(`${Key} has other bytes`)
    }
  }
  const finalize = await during(() => new Promise(setImmediate), Promise.all(Array.from({ length: 2 }, read)))
  client.destroy()
  return { name: "bare Node reads from S3", finalize }
}

const table = new Table({
  head: ["", "PUT MiB/s", "another's p99 ms", "peak MiB", "finalize s", "another's p99 ms"],
  colAligns: ["left", "right", "right", "right", "right", "right"],
  style: { head: [], border: [], compact: true }
})
const told = (row: Row) => {
  process.stderr.write(`${row.name}\n`)
  table.push([
    row.name,
    row.put === undefined ? "" : perSecond(row.put.seconds).toFixed(0),
    row.put?.p99.toFixed(1) ?? "",
    row.peakMiB?.toFixed(0) ?? "",
    row.finalize?.seconds.toFixed(2) ?? "",
    row.finalize?.p99.toFixed(1) ?? ""
  ])
}
try {
  const main = values.main ?? (await bundledIn(root))
  told(await onHost("SQLite and files", main, {}))
  told(await onBareSink())
  if (values.only === "files") process.stderr.write("S3 is left out\n")
  else if (await isCephInstalled()) {
    const ceph = await startCeph()
    const settings = {
      SLIPWAY_S3_BUCKET: ceph.bucket,
      SLIPWAY_S3_ENDPOINT: ceph.endpoint,
      SLIPWAY_S3_REGION: ceph.region,
      SLIPWAY_S3_FORCE_PATH_STYLE: "true",
      AWS_ACCESS_KEY_ID: ceph.accessKeyId,
      AWS_SECRET_ACCESS_KEY: ceph.secretAccessKey
    }
    try {
      told(await onHost("SQLite and S3 (Ceph)", main, settings))
      told(await onBareReader(ceph))
    } finally {
      await ceph.remove()
    }
  } else process.stderr.write("Ceph is not installed: S3 is left out\n")
  console.log(table.toString())
  const load = loadavg()[0]?.toFixed(1)
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}, load ${load}`)
} finally {
  rmSync(root, { recursive: true, force: true })
}
