/** Whole commands beside others: the start of a host, uploads of an app with `slipway-ci`, and imports of test results. */
import { execFile } from "node:child_process"
import { randomBytes } from "node:crypto"
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { once } from "node:events"
import { join } from "node:path"
import { promisify } from "node:util"
import { makeCiPackage } from "../../../.config/ciPackage.ts"
import { isCephInstalled, startCeph } from "../../../adapters/s3/testing/startCeph.ts"
import { memoryOf, quantile, started } from "../program.ts"
import { owner, repo } from "../repository.ts"
import type { Figure } from "./load.ts"
import type { Row } from "./rows.ts"
import { type Scratch, type Side, startSlipway } from "./slipway.ts"

const run = promisify(execFile)

/** Prints the memory and the CPU time of a Node program at its end. */
const usageHook =
  "data:text/javascript,process.on('exit',()=>{const{maxRSS,systemCPUTime,userCPUTime}=process.resourceUsage();" +
  "console.error(`used ${maxRSS} ${systemCPUTime+userCPUTime}`)})"

interface Ran {
  readonly millis: number
  readonly cpuMicros?: number
  readonly peakMiB?: number
}

const figureOf = (all: ReadonlyArray<Ran>): Figure => {
  const of = (pick: (one: Ran) => number | undefined) => quantile(all.map((one) => pick(one) ?? NaN))
  const p50Millis = of(({ millis }) => millis)
  return {
    perSecond: 1000 / p50Millis,
    p50Millis,
    p99Millis: quantile(
      all.map(({ millis }) => millis),
      0.99
    ),
    cpuMicros: of(({ cpuMicros }) => cpuMicros),
    peakMiB: of(({ peakMiB }) => peakMiB)
  }
}

/** Runs a command again and again for so many seconds, and at least once. `prepare` is not measured, and its result is passed on. */
const repeating =
  <A>(prepare: () => Promise<A> | A, act: (prepared: A) => Promise<Ran>) =>
  async (seconds: number): Promise<Figure> => {
    const all = new Array<Ran>()
    let millis = 0
    do {
      const one = await act(await prepare())
      all.push(one)
      millis += one.millis
    } while (millis < seconds * 1000)
    return figureOf(all)
  }

/** Runs a program of Node to its end. */
const nodeProgram = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv): Promise<Ran> => {
  const began = performance.now()
  const { stderr } = await run(process.execPath, ["--import", usageHook, ...args], { env })
  const millis = performance.now() - began
  const [, kilobytes, micros] = /^used (\d+) (\d+)$/m.exec(stderr) ?? []
  return { millis, cpuMicros: Number(micros), peakMiB: Number(kilobytes) / 1024 }
}

const bareServer = `
  import { DatabaseSync } from "node:sqlite"
  import { createServer } from "node:http"
  const db = new DatabaseSync(process.argv[2])
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS t (id TEXT PRIMARY KEY) STRICT")
  const server = createServer((request, response) => response.end("ready"))
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

/** Starts a server, waits for its first response, and stops it. */
const firstResponse = async (args: ReadonlyArray<string>, cwd: string): Promise<Ran> => {
  const began = performance.now()
  const { line, pid, stop } = await started(args, { cwd })
  await (await fetch(line.split(" ").at(-1) ?? "", { redirect: "manual" })).text()
  const millis = performance.now() - began
  const peakMiB = memoryOf(pid, "VmHWM")
  await stop()
  return { millis, peakMiB }
}

/** The time to the first response, on a new and on an existing data folder. */
const startRows = (main: string, root: string): ReadonlyArray<Row> => {
  const bare = join(root, "bare.mjs")
  writeFileSync(bare, bareServer)
  let folders = 0
  const next = (): string => join(root, `start-${(folders += 1)}`)
  const serve = (data: string) => firstResponse([main, "serve", "--port", "0", "--data", data], root)
  const node = (file: string) => firstResponse([bare, file], root)
  const existing = next()
  return [
    {
      work: "start, new data folder",
      sides: [
        { name: "Slipway", run: repeating(next, serve) },
        { name: "node:http + node:sqlite", run: repeating(() => `${next()}.sqlite`, node) }
      ]
    },
    {
      work: "start, existing data folder",
      sides: [
        { name: "Slipway", run: repeating(() => existing, serve) },
        { name: "node:http + node:sqlite", run: repeating(() => `${existing}.sqlite`, node) }
      ]
    }
  ]
}

/** An app of 300 files of 10 kB and a bundle of 1 MB, in a folder of its own. */
const writeApp = (folder: string): string => {
  mkdirSync(join(folder, "assets"), { recursive: true })
  writeFileSync(join(folder, "main.jsbundle"), `run(${JSON.stringify(randomBytes(500_000).toString("hex"))})`)
  for (let file = 0; file < 300; file += 1) writeFileSync(join(folder, "assets", `${file}.png`), randomBytes(10_000))
  return folder
}

const flow = join(import.meta.dirname, "../../ci/import/maestro/fixtures/out/2026-11-18_110640/Pay")

/** Writes what Maestro leaves of 34 failed flows, each with screenshots and a log, and answers the files. */
const writeFlows = (folder: string): ReadonlyArray<string> => {
  rmSync(folder, { recursive: true, force: true })
  for (let test = 0; test < 34; test += 1) {
    const to = join(folder, "2026-11-18_110640", `Pay ${test}`)
    mkdirSync(to, { recursive: true })
    cpSync(flow, to, { recursive: true })
    const commands = readFileSync(join(to, "commands.json"), "utf8")
      .replaceAll('"name": "Pay"', `"name": "Pay ${test}"`)
      .replaceAll(/17950000(\d{5})/g, (_, rest: string) => String(1_795_000_000_000 + Number(rest) + test * 60_000))
    writeFileSync(join(to, "commands.json"), commands)
    for (const picture of globSync("**/*.png", { cwd: to })) writeFileSync(join(to, picture), randomBytes(60_000))
  }
  return globSync("**/*.png", { cwd: folder }).map((file) => join(folder, file))
}

/** What `slipway-ci` costs at the least: Node sends as many requests and bytes to a server that stores nothing. */
const bareSender = `
  import { Agent, request } from "node:http"
  import { readFileSync } from "node:fs"
  const [url, ...files] = process.argv.slice(2)
  const agent = new Agent({ keepAlive: true })
  const send = (method, body) => new Promise((resolve, reject) => {
    const headers = { "content-length": body.length, "content-type": "application/octet-stream" }
    request(url, { agent, method, headers }, (response) => response.resume().on("end", resolve)).on("error", reject).end(body)
  })
  for (const file of files) {
    await send("PUT", readFileSync(file))
    await send("POST", Buffer.from("{}"))
  }
  agent.destroy()
`

/** Slipway on Ceph with `slipway-ci`, beside rclone on the same server, and imports beside plain requests. */
const ciRows = async (options: {
  readonly scratch: Scratch
  readonly main: string
  readonly root: string
  readonly stopLater: (side: Pick<Side, "stop">) => void
}): Promise<ReadonlyArray<Row>> => {
  const { main, root, scratch, stopLater } = options
  const rclone = scratch.program("rclone")
  const program = join(root, "ci/main.js")
  await makeCiPackage(join(root, "ci"))
  const envOf = ({ key, url }: Pick<Side, "key" | "url">) => ({
    PATH: process.env["PATH"],
    SLIPWAY_URL: url,
    SLIPWAY_KEY: key,
    SLIPWAY_OWNER: owner,
    SLIPWAY_REPO: repo,
    SLIPWAY_BRANCH: "main",
    SLIPWAY_COMMIT: randomBytes(20).toString("hex")
  })
  const embedded = await startSlipway(main, root, {})
  stopLater(embedded)
  const sink = createServer((request, response) => request.resume().on("end", () => response.end("{}")))
  await once(sink.listen(0, "127.0.0.1"), "listening")
  stopLater({ stop: async () => void sink.close() })
  const address = sink.address()
  const sinkUrl = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
  const sender = join(root, "sender.mjs")
  writeFileSync(sender, bareSender)
  const flows = join(root, "flows")
  const importing: Row = {
    work: "import of 34 Maestro tests",
    sides: [
      {
        name: "Slipway",
        run: repeating(
          () => writeFlows(flows),
          () => nodeProgram([program, "import", "maestro", flows, "--source", "github:1"], envOf(embedded))
        )
      },
      {
        name: "plain requests",
        run: repeating(
          () => writeFlows(flows),
          (pictures) => nodeProgram([sender, sinkUrl, ...pictures], { PATH: process.env["PATH"] })
        )
      }
    ]
  }
  if (rclone === undefined || !(await isCephInstalled())) return [importing]
  const ceph = await startCeph()
  stopLater({ stop: ceph.remove })
  const host = await startSlipway(main, root, {
    AWS_ACCESS_KEY_ID: ceph.accessKeyId,
    AWS_SECRET_ACCESS_KEY: ceph.secretAccessKey,
    SLIPWAY_S3_BUCKET: ceph.bucket,
    SLIPWAY_S3_ENDPOINT: ceph.endpoint,
    SLIPWAY_S3_REGION: ceph.region,
    SLIPWAY_S3_PREFIX: "slipway/",
    SLIPWAY_S3_FORCE_PATH_STYLE: "true",
    // Ceph 16 obeys unsigned headers, and a host refuses to give clients its URLs.
    SLIPWAY_S3_UPLOADS: "host"
  })
  stopLater(host)
  const upload = (app: string) => nodeProgram([program, "upload", "build", app, "--platform", "ios"], envOf(host))
  const copy = async (app: string): Promise<Ran> => {
    const began = performance.now()
    await run(rclone, ["copy", app, `:s3:${ceph.bucket}/rclone/${app.split("/").at(-1)}`], {
      env: {
        RCLONE_CONFIG: "",
        RCLONE_S3_PROVIDER: "Ceph",
        RCLONE_S3_ENDPOINT: ceph.endpoint,
        RCLONE_S3_ACCESS_KEY_ID: ceph.accessKeyId,
        RCLONE_S3_SECRET_ACCESS_KEY: ceph.secretAccessKey
      }
    })
    return { millis: performance.now() - began }
  }
  let apps = 0
  const newApp = () => writeApp(join(root, `app-${(apps += 1)}`))
  const sent = newApp()
  await upload(sent)
  await copy(sent)
  const changed = () => {
    writeFileSync(join(sent, "assets", "0.png"), randomBytes(10_000))
    return sent
  }
  const uploads = (
    [
      ["first time", newApp],
      ["unchanged", () => sent],
      ["one changed file", changed]
    ] as const
  ).map(([name, app]): Row => ({
    work: `upload of 300 files, ${name}, Ceph`,
    sides: [
      { name: "Slipway", run: repeating(app, upload) },
      { name: "rclone copy", run: repeating(app, copy) }
    ]
  }))
  return [importing, ...uploads]
}

/** The rows of whole commands. */
export const commandRows = async (options: Parameters<typeof ciRows>[0]): Promise<ReadonlyArray<Row>> => [
  ...startRows(options.main, options.root),
  ...(await ciRows(options))
]
