/**
 * `npm run bench:transfers`: a PUT of 1 MiB to the published program on embedded engines and a GET of it, beside a bare Node
 * that pipes a request into a file and forces it to the disk, and pipes a file into a response. The bare Node takes no digest
 * and checks nothing. The sides run in turns; the figures are the middles. `--main FILE` measures the program of another
 * version instead, `--seconds 5` takes longer rounds.
 */
import Table from "cli-table3"
import { execFile } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { Agent, request } from "node:http"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs, promisify } from "node:util"
import { createClient } from "../client/index.ts"
import { bundledIn, cpuMillisOf, memoryOf, quantile, started } from "./program.ts"

const { values } = parseArgs({ options: { main: { type: "string" }, seconds: { type: "string", default: "3" } } })
const rounds = 3
const connections = 8
const content = randomBytes(1024 ** 2)
const type = "application/octet-stream"
const root = mkdtempSync(join(tmpdir(), "slipway-bench-transfers-"))

const barePipes = `
  import { randomUUID } from "node:crypto"
  import { createReadStream, createWriteStream } from "node:fs"
  import { rename } from "node:fs/promises"
  import { createServer } from "node:http"
  import { pipeline } from "node:stream/promises"
  const stored = process.argv[2] + "/stored"
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      response.setHeader("content-length", ${content.byteLength})
      return pipeline(createReadStream(stored), response)
    }
    const file = process.argv[2] + "/" + randomUUID()
    await pipeline(request, createWriteStream(file, { flush: true }))
    await rename(file, stored)
    response.end()
  })
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

/** A server to measure, and where it takes and gives the content. */
interface Side {
  readonly name: string
  readonly pid: number
  readonly put: string
  readonly get: string
  readonly stop: () => Promise<void>
}

interface Figure {
  readonly perSecond: number
  readonly cpuMillis: number
}

const agent = new Agent({ keepAlive: true, maxSockets: connections })

/** Sends one request and reads its answer to the end. */
const transfer = (method: "GET" | "PUT", url: string) =>
  new Promise<void>((resolve, reject) => {
    const sent = request(url, { method, agent, headers: method === "PUT" ? { "content-type": type } : {} })
    sent.on("error", reject)
    sent.on("response", (answer) => {
      let bytes = 0
      answer.on("data", (chunk: Buffer) => (bytes += chunk.byteLength))
      answer.on("end", () => {
        const isRight = answer.statusCode === 200 && (method === "PUT" || bytes === content.byteLength)
        if (isRight) resolve()
        else reject(new Error(`${method} was answered ${answer.statusCode} with ${bytes} bytes`))
      })
    })
    sent.end(method === "PUT" ? content : undefined)
  })

const measured = async (pid: number, method: "GET" | "PUT", url: string, seconds: number): Promise<Figure> => {
  const [began, cpu] = [performance.now(), cpuMillisOf(pid)]
  let done = 0
  await Promise.all(
    Array.from({ length: connections }, async () => {
      for (; performance.now() - began < seconds * 1000; done++) await transfer(method, url)
    })
  )
  return { perSecond: done / ((performance.now() - began) / 1000), cpuMillis: (cpuMillisOf(pid) - cpu) / done }
}

const slipwaySide = async (main: string): Promise<Side> => {
  const place = { cwd: root, env: { ...process.env, SLIPWAY_DATA: join(root, "data") } }
  const { line, pid, stop } = await started([main, "serve", "--port", "0"], place)
  const url = line.split(" ").at(-1) ?? ""
  const slipway = async (...args: ReadonlyArray<string>) =>
    (await promisify(execFile)(process.execPath, [main, ...args, "--json"], place)).stdout
  await slipway("account", "create", "bench")
  const { key } = JSON.parse(
    await slipway("key", "create", "--account", "bench", "--name", "bench", "--scope", "preview_upload")
  )
  const client = createClient({ url, key })
  const contentHash = createHash("sha256").update(content).digest("hex")
  const declared = { contentHash, bundleSizeBytes: content.byteLength, bundleContentType: type }
  const hosted = await client.previews.reserve(declared)
  await client.put(hosted.slots.bundle, content)
  const { bundle } = await client.previews.finalize(hosted.token)
  const opened = await fetch(bundle.url ?? "", { headers: { authorization: `Bearer ${key}` } })
  const { slots } = await client.previews.reserve(declared)
  await opened.body?.cancel()
  return { name: "Slipway", pid, stop, get: opened.url, put: slots.bundle.putUrl }
}

const bareSide = async (): Promise<Side> => {
  const file = join(root, "pipes.mjs")
  writeFileSync(file, barePipes)
  const { line, pid, stop } = await started([file, root], { cwd: root })
  await transfer("PUT", line)
  return { name: "bare Node pipes", pid, stop, get: line, put: line }
}

const table = new Table({
  head: ["", "PUT/s", "CPU ms", "GET/s", "CPU ms", "peak MiB"],
  colAligns: ["left", "right", "right", "right", "right", "right"],
  style: { head: [], border: [], compact: true }
})
const middle = (figures: ReadonlyArray<Figure>, of: keyof Figure, digits: number) =>
  quantile(figures.map((figure) => figure[of])).toFixed(digits)

try {
  const sides = [await slipwaySide(values.main ?? (await bundledIn(root))), await bareSide()]
  const figures = sides.map((side) => ({ side, PUT: new Array<Figure>(), GET: new Array<Figure>() }))
  // The first round warms up and doesn't count.
  for (let round = 0; round <= rounds; round++) {
    for (const { side, ...taken } of figures) {
      process.stderr.write(`${round === 0 ? "warming up" : `round ${round}`}: ${side.name}\n`)
      const put = await measured(side.pid, "PUT", side.put, round === 0 ? 1 : Number(values.seconds))
      const get = await measured(side.pid, "GET", side.get, round === 0 ? 1 : Number(values.seconds))
      if (round === 0) continue
      taken.PUT.push(put)
      taken.GET.push(get)
    }
  }
  for (const { GET, PUT, side } of figures) {
    const put = [middle(PUT, "perSecond", 0), middle(PUT, "cpuMillis", 2)]
    const get = [middle(GET, "perSecond", 0), middle(GET, "cpuMillis", 2)]
    table.push([side.name, ...put, ...get, memoryOf(side.pid, "VmHWM").toFixed(0)])
    await side.stop()
  }
  console.log(table.toString())
  const load = loadavg()[0]?.toFixed(1)
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}, load ${load}`)
} finally {
  agent.destroy()
  rmSync(root, { recursive: true, force: true })
}
