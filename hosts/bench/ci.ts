/**
 * `npm run bench:ci` measures what `slipway-ci` costs a team and its CI machines: lines, installation, start, the bytes and
 * requests of uploads, beside a script that does the same with the three steps of the interface and nothing else; the time and memory of
 * an import of nine shards and of an upload of 2 GiB. Another uploader is installed from npm beside it, where that can be reached.
 */
import Table from "cli-table3"
import { execFile, execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  existsSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { makeCiPackage } from "../../.config/ciPackage.ts"
import { createClient } from "../client/index.ts"
import { startCounter } from "./ci/counter.ts"
import { secret, writeShards } from "./ci/shards.ts"
import { bundledIn, resetPeakOf, memoryOf, quantile, started } from "./program.ts"

const run = promisify(execFile)
const rounds = 9
const tests = 46
const bundleBytes = 1_150_000
const appFiles = 300
const shardedTests = 303
const other = "@argos-ci/cli@6.9.4"
const root = mkdtempSync(join(tmpdir(), "slipway-bench-ci-"))

const sayUsage =
  "data:text/javascript,process.on('exit',()=>{const{maxRSS,systemCPUTime,userCPUTime}=process.resourceUsage();" +
  "console.error(`used ${maxRSS} ${systemCPUTime+userCPUTime}`)})"

/**
 * Runs a program of Node to its end; answers its seconds, those of a processor among them, which are more precise on a
 * busy machine, and the most memory that it had, in MiB.
 */
const measured = async (args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
  const began = performance.now()
  const { stderr } = await run(process.execPath, ["--import", sayUsage, ...args], { cwd: root, env })
  const [, kilobytes, microseconds] = /^used (\d+) (\d+)$/m.exec(stderr) ?? []
  return {
    seconds: (performance.now() - began) / 1000,
    cpuSeconds: Number(microseconds) / 1e6,
    peakMiB: Number(kilobytes) / 1024
  }
}

/** Installs another uploader; answers its size and its program, if npm can be reached. */
const installOther = async () => {
  const folder = join(root, "other")
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), "{}")
  await run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", other], { cwd: folder }).catch(() => {})
  const main = join(folder, "node_modules/@argos-ci/cli/bin/argos-cli.js")
  if (!existsSync(main)) return undefined
  const files = globSync("node_modules/**", { cwd: folder }).map((file) => lstatSync(join(folder, file)))
  return { main, bytes: files.reduce((total, one) => total + (one.isFile() ? one.size : 0), 0) }
}

/** The middle time until a program has ended, in seconds. */
const secondsOf = async (args: ReadonlyArray<string>): Promise<number> => {
  const times: Array<number> = []
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now()
    await run(process.execPath, [...args], { cwd: root })
    times.push((performance.now() - began) / 1000)
  }
  return quantile(times)
}

process.stderr.write("making both programs\n")
const folder = join(root, "slipway-ci")
await makeCiPackage(folder)
const ci = join(folder, "main.js")
const own = join(root, "own")
mkdirSync(own)
const slipway = await bundledIn(own)

process.stderr.write("starting a host\n")
const data = join(root, "data")
const order = (...args: ReadonlyArray<string>): unknown =>
  JSON.parse(
    execFileSync(process.execPath, [slipway, ...args, "--data", data, "--json"], { cwd: root, encoding: "utf8" })
  )
order("account", "create", "acme")
order("repo", "link", "acme/app", "--account", "acme")
const scopes = ["builds", "preview_upload", "test_runs"].flatMap((scope) => ["--scope", scope])
const key = String(Reflect.get(Object(order("key", "create", "--account", "acme", "--name", "ci", ...scopes)), "key"))
const host = await started([slipway, "serve", "--port", "0", "--data", data], { cwd: root })
const hostUrl = host.line.split(" ").at(-1) ?? ""
const counter = await startCounter(hostUrl, secret)
const env = {
  PATH: process.env["PATH"],
  SLIPWAY_URL: counter.url,
  SLIPWAY_KEY: key,
  SLIPWAY_OWNER: "acme",
  SLIPWAY_REPO: "app",
  SLIPWAY_BRANCH: "main",
  SLIPWAY_COMMIT: "ab".repeat(20)
}

process.stderr.write(`${tests} tests of one bundle\n`)
const client = createClient({ url: counter.url, key })
const bundle = { body: randomBytes(bundleBytes), contentType: "text/javascript" }
for (let test = 0; test < tests; test += 1) {
  const { shareId: previewShareId } = await client.previews.upload({ bundle })
  await client.testRuns.register({
    owner: "acme",
    repo: "app",
    kind: "maestro",
    name: `${test}`,
    status: "passed",
    previewShareId
  })
}
const ofTests = counter.counted()

process.stderr.write(`an app of ${appFiles} files, twice\n`)
const app = join(root, "app")
mkdirSync(join(app, "assets"), { recursive: true })
writeFileSync(join(app, "main.jsbundle"), `run(${JSON.stringify(randomBytes(bundleBytes / 2).toString("hex"))})`)
for (let file = 0; file < appFiles; file += 1) writeFileSync(join(app, "assets", `${file}.png`), randomBytes(10_000))
const upload = () => run(process.execPath, [ci, "upload", "build", app, "--platform", "ios"], { env })
await upload()
const first = counter.counted()
await upload()
const again = counter.counted()

process.stderr.write(`nine shards of ${shardedTests} tests\n`)
const { folders, places } = writeShards(join(root, "shards"), 9, shardedTests)
const imports: Array<Awaited<ReturnType<typeof measured>>> = []
for (const folder of folders) {
  const args = [ci, "import", "maestro", folder, "--source", "github:1"]
  imports.push(await measured(args, env))
}
const ofShards = counter.counted()

process.stderr.write("an upload of 2 GiB\n")
const large = join(root, "large")
mkdirSync(join(large, "assets"), { recursive: true })
writeFileSync(join(large, "main.jsbundle"), "run()")
for (let part = 0; part < 4; part += 1) {
  // Sparse files take no room, and are read as fast as memory.
  writeFileSync(join(large, "assets", `${part}.bin`), `${part}`)
  truncateSync(join(large, "assets", `${part}.bin`), 512 * 1024 ** 2 - 10)
}
resetPeakOf(host.pid)
const ofLarge = await measured([ci, "upload", "preview", large], { ...env, SLIPWAY_URL: hostUrl })
const hostPeakMiB = memoryOf(host.pid, "VmHWM")

process.stderr.write("another uploader\n")
const otherOne = await installOther()

const snippet = readFileSync(join(import.meta.dirname, "../../examples/ci/github.yml"), "utf8")
const lines = snippet.slice(snippet.indexOf("# What a team adds")).trim().split("\n").length - 1
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`
const mebibytes = (count: number) => `${count.toFixed(0)} MiB`
const seconds = (count: number) => `${count.toFixed(3)} s`
const node = await secondsOf(["-e", "0"])

const table = new Table({ head: ["", "slipway-ci", "beside"], style: { head: [], border: [], compact: true } })
table.push(
  ["lines a team writes, for Maestro and the comment", lines, ""],
  ["installed", megabytes(statSync(ci).size), otherOne === undefined ? "" : `${other} ${megabytes(otherOne.bytes)}`],
  [
    "start, `--help`",
    seconds(await secondsOf([ci, "--help"])),
    [
      `slipway ${seconds(await secondsOf([slipway, "--help"]))}`,
      ...(otherOne === undefined ? [] : [`${other} ${seconds(await secondsOf([otherOne.main, "--help"]))}`]),
      `bare Node ${seconds(node)}`
    ].join(", ")
  ],
  [
    `bytes PUT for ${tests} tests of a bundle of ${megabytes(bundleBytes)}`,
    megabytes(ofTests.putBytes),
    `a script ${megabytes(tests * bundleBytes)}`
  ],
  [
    "requests of a test without recordings",
    (ofTests.requests / tests).toFixed(2),
    "a script 4: reserve, PUT, finalize, register"
  ],
  [`bytes PUT for an app of ${appFiles} files`, megabytes(first.putBytes), ""],
  ["the same app again", megabytes(again.putBytes), `a script ${megabytes(first.putBytes)}`],
  [
    `nine shards of ${shardedTests} tests together, one after another`,
    `${seconds(imports.reduce((total, one) => total + one.seconds, 0))}, of a processor ${seconds(imports.reduce((total, one) => total + one.cpuSeconds, 0))}; ${mebibytes(Math.max(...imports.map(({ peakMiB }) => peakMiB)))}`,
    `${megabytes(ofShards.putBytes)} in ${ofShards.requests} requests`
  ],
  ["marked secrets in what they sent", ofShards.found, `in their files ${places}`],
  [
    "an upload of 2 GiB: the client",
    mebibytes(ofLarge.peakMiB),
    `${seconds(ofLarge.seconds)}, of a processor ${seconds(ofLarge.cpuSeconds)}`
  ],
  ["an upload of 2 GiB: the embedded host", mebibytes(hostPeakMiB), "the most while it came"]
)
console.log(table.toString())
counter.close()
await host.stop()
rmSync(root, { recursive: true, force: true })
