/**
 * `npm run bench:start` measures how long the published program takes to be ready on embedded engines, on a new data folder and
 * on an existing one, and its memory, at rest and at its peak. It compares that with a bare Node that opens a database and
 * listens. `--main FILE` measures the program of another version instead.
 */
import Table from "cli-table3"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { bundleCommand } from "../../.config/command.ts"
import { suite } from "../../conformance/run/suite.ts"

const rounds = 7
const idleMillis = 3000
const { values } = parseArgs({ options: { main: { type: "string" } } })
const root = mkdtempSync(join(tmpdir(), "slipway-bench-start-"))

const bare = `
  import { DatabaseSync } from "node:sqlite"
  import { createServer } from "node:http"
  const db = new DatabaseSync(process.argv[2])
  db.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE IF NOT EXISTS t (id TEXT PRIMARY KEY) STRICT")
  const server = createServer((request, response) => response.end("ready"))
  server.listen(0, "127.0.0.1", () => console.log("http://127.0.0.1:" + server.address().port))
`

interface Figure {
  readonly readyMillis: number
  readonly idleMiB: number
  readonly peakMiB: number
}

/** A figure of a process in kB, from the operating system. */
const memoryOf = (pid: number, name: "VmRSS" | "VmHWM"): number =>
  Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** Starts a program, waits for its first line and until it is idle, and ends it. */
const started = async (args: ReadonlyArray<string>): Promise<Figure> => {
  const began = performance.now()
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "ignore"], cwd: root })
  const closed = once(child, "close")
  await Promise.race([once(createInterface({ input: child.stdout }), "line"), closed])
  const readyMillis = performance.now() - began
  if (child.pid === undefined || child.exitCode !== null) throw new Error(`${args.join(" ")} ended before it was ready`)
  await setTimeout(idleMillis)
  const figure = { readyMillis, idleMiB: memoryOf(child.pid, "VmRSS"), peakMiB: memoryOf(child.pid, "VmHWM") }
  child.kill("SIGTERM")
  await closed
  return figure
}

const middle = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN

const row = (name: string, figures: ReadonlyArray<Figure>) => [
  name,
  middle(figures.map(({ readyMillis }) => readyMillis)).toFixed(0),
  Math.min(...figures.map(({ readyMillis }) => readyMillis)).toFixed(0),
  middle(figures.map(({ idleMiB }) => idleMiB)).toFixed(0),
  middle(figures.map(({ peakMiB }) => peakMiB)).toFixed(0)
]

try {
  let main = values.main
  if (main === undefined) {
    writeFileSync(join(root, "package.json"), JSON.stringify({ type: "module" }))
    symlinkSync(join(import.meta.dirname, "../../node_modules"), join(root, "node_modules"))
    await bundleCommand({ main: "hosts/cli/main.ts", to: join(root, "cli"), suite: await Effect.runPromise(suite) })
    main = join(root, "cli", "main.js")
  }
  const bareFile = join(root, "bare.mjs")
  writeFileSync(bareFile, bare)
  const serve = (data: string) => [main, "serve", "--port", "0", "--data", join(root, data)]
  const programs: Readonly<Record<string, (round: number) => ReadonlyArray<string>>> = {
    "slipway, a fresh folder": (round) => serve(`fresh-${round}`),
    "slipway, an existing folder": () => serve("existing"),
    "bare Node, a fresh file": (round) => [bareFile, join(root, `bare-${round}.sqlite`)],
    "bare Node, an existing file": () => [bareFile, join(root, "bare.sqlite")]
  }
  const figures = new Map(Object.keys(programs).map((name) => [name, new Array<Figure>()]))
  // The first start of each fills the caches and makes the data folder; it doesn't count.
  for (let round = 0; round <= rounds; round++) {
    for (const [name, args] of Object.entries(programs)) {
      process.stderr.write(`${round === 0 ? "warming up" : `round ${round}`}: ${name}\n`)
      const figure = await started(args(round))
      if (round > 0) figures.get(name)?.push(figure)
    }
  }
  const table = new Table({
    head: [`of ${rounds} starts`, "ready ms, middle", "least", "idle MiB", "peak MiB"],
    colAligns: ["left", "right", "right", "right", "right"],
    style: { head: [], border: [], compact: true }
  })
  for (const [name, all] of figures) table.push(row(name, all))
  console.log(table.toString())
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}`)
} finally {
  rmSync(root, { recursive: true, force: true })
}
