/**
 * `npm run bench:ci` measures what `slipway-ci` costs a team and its CI machines: lines, installation, start, and the bytes and
 * requests of uploads, beside a script that does the same with the three steps of the interface and nothing else.
 */
import Table from "cli-table3"
import { execFile, execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { makeCiPackage } from "../../.config/ciPackage.ts"
import { createClient } from "../client/index.ts"
import { startCounter } from "./ci/counter.ts"
import { bundledIn, quantile, started } from "./program.ts"

const run = promisify(execFile)
const rounds = 9
const tests = 46
const bundleBytes = 1_150_000
const appFiles = 300
const root = mkdtempSync(join(tmpdir(), "slipway-bench-ci-"))

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
const counter = await startCounter(host.line.split(" ").at(-1) ?? "")
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

const snippet = readFileSync(join(import.meta.dirname, "../../examples/ci/github.yml"), "utf8")
const lines = snippet.slice(snippet.indexOf("# What a team adds")).trim().split("\n").length - 1
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(2)} MB`
const seconds = (count: number) => `${count.toFixed(3)} s`
const node = await secondsOf(["-e", "0"])

const table = new Table({ head: ["", "slipway-ci", "beside"], style: { head: [], border: [], compact: true } })
table.push(
  ["lines a team writes, for Maestro and the comment", lines, ""],
  ["installed", megabytes(statSync(ci).size), "slipway: see .config/alone.packed.test.ts"],
  [
    "start, `--help`",
    seconds(await secondsOf([ci, "--help"])),
    `slipway ${seconds(await secondsOf([slipway, "--help"]))}, bare Node ${seconds(node)}`
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
  ["the same app again", megabytes(again.putBytes), `a script ${megabytes(first.putBytes)}`]
)
console.log(table.toString())
counter.close()
await host.stop()
rmSync(root, { recursive: true, force: true })
