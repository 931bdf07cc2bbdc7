/**
 * `npm run bench:client` measures the client without Effect: its size in a browser, compared with other clients; the peak
 * memory of an upload of 2 GiB, compared with a minimal upload; and how many of a thousand requests succeed when every third
 * one is refused or its connection is cut.
 */
import Table from "cli-table3"
import { execFile } from "node:child_process"
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { createClient } from "../client/index.ts"
import { startSink } from "./client/sink.ts"
import { sizes } from "./client/sizes.ts"
import { ways } from "./client/uploader.ts"

const run = promisify(execFile)
const uploadBytes = 2 * 1024 ** 3
const requests = 1000
const atOnce = 50

const table = (head: ReadonlyArray<string>) =>
  new Table({
    head: [...head],
    colAligns: ["left", ...head.slice(1).map(() => "right" as const)],
    style: { head: [], border: [], compact: true }
  })

const size = table(["in a browser", "bytes, gzipped", "against ours"])
const measured = await sizes()
for (const { bytes, name } of measured) size.push([name, bytes, (bytes / (measured[0]?.bytes ?? NaN)).toFixed(1)])
console.log(size.toString())

const folder = mkdtempSync(join(tmpdir(), "slipway-bench-"))
const path = join(folder, "large")
// A sparse file takes no room on a disk, and is read as fast as memory.
writeFileSync(path, "")
truncateSync(path, uploadBytes)
const sink = await startSink()
const memory = table(["an upload of 2 GiB from a file", "peak MB", "seconds of a processor"])
for (const way of ["nothing", ...Object.keys(ways)]) {
  process.stderr.write(`${way}\n`)
  const { stdout } = await run(process.execPath, [join(import.meta.dirname, "client/uploader.ts"), way, sink.url, path])
  const { megabytes, seconds }: { readonly megabytes: number; readonly seconds: number } = JSON.parse(stdout)
  memory.push([way, megabytes.toFixed(0), seconds.toFixed(1)])
}
sink.close()
rmSync(folder, { recursive: true })
console.log(memory.toString())
console.log("slipway/client reads the file twice: it takes its digest first.\n")

/** How many of the requests succeeded. Every third one that arrives is refused or cut, in turns. */
const answered = async (ask: (url: string) => Promise<unknown>) => {
  let came = 0
  const faulty = await startSink((request, response) => {
    came += 1
    if (came % 3 !== 0) return false
    if (came % 2 === 0) response.writeHead(503, { "retry-after": "0" }).end()
    else request.socket.destroy()
    return true
  })
  let succeeded = 0
  const start = performance.now()
  const next = Array.from({ length: requests }).values()
  const lane = async () => {
    for (const _ of next) {
      const one = await ask(faulty.url).then(
        () => 1,
        () => 0
      )
      succeeded += one
    }
  }
  await Promise.all(Array.from({ length: atOnce }, lane))
  faulty.close()
  return { succeeded, came, seconds: (performance.now() - start) / 1000 }
}

const retries = table(["1000 requests, each third that comes fails", "answered", "sent", "seconds"])
for (const [name, ask] of [
  ["slipway/client", (url: string) => createClient({ url, key: "key" }).builds.read("a-build")],
  [
    "bare fetch",
    async (url: string) => {
      const response = await fetch(`${url}/api/v1/builds/a-build`)
      if (!response.ok) throw new Error(String(response.status))
      await response.text()
    }
  ]
] as const) {
  process.stderr.write(`${name}\n`)
  const { came, seconds, succeeded } = await answered(ask)
  retries.push([name, succeeded, came, seconds.toFixed(1)])
}
console.log(retries.toString())
