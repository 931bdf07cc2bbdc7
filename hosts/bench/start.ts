/**
 * `npm run bench:start` measures how long the published program takes to its first answer on embedded engines, on a new data folder and
 * on an existing one, and its memory, at rest and at its peak. It compares that with a bare Node that opens a database and
 * listens. `--main FILE` measures the program of another version instead.
 */
import Table from "cli-table3"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { parseArgs } from "node:util"
import { bundledIn, memoryOf, quantile, started } from "./program.ts"

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

/** Starts a program, waits for its first answer and then for rest, and ends it. */
const measured = async (args: ReadonlyArray<string>): Promise<Figure> => {
  const began = performance.now()
  const { line, pid, stop } = await started(args, { cwd: root })
  const answer = await fetch(line.split(" ").at(-1) ?? "", { redirect: "manual" })
  await answer.text()
  const readyMillis = performance.now() - began
  await setTimeout(idleMillis)
  const figure = { readyMillis, idleMiB: memoryOf(pid, "VmRSS"), peakMiB: memoryOf(pid, "VmHWM") }
  await stop()
  return figure
}

const row = (name: string, figures: ReadonlyArray<Figure>) => [
  name,
  quantile(figures.map(({ readyMillis }) => readyMillis)).toFixed(0),
  Math.min(...figures.map(({ readyMillis }) => readyMillis)).toFixed(0),
  quantile(figures.map(({ idleMiB }) => idleMiB)).toFixed(0),
  quantile(figures.map(({ peakMiB }) => peakMiB)).toFixed(0)
]

try {
  const main = values.main ?? (await bundledIn(root))
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
      const figure = await measured(args(round))
      if (round > 0) figures.get(name)?.push(figure)
    }
  }
  const table = new Table({
    head: [`of ${rounds} starts`, "first answer ms, middle", "least", "idle MiB", "peak MiB"],
    colAligns: ["left", "right", "right", "right", "right"],
    style: { head: [], border: [], compact: true }
  })
  for (const [name, all] of figures) table.push(row(name, all))
  console.log(table.toString())
  console.log(`${cpus().length} × ${cpus()[0]?.model ?? "unknown"}, Node ${process.version}`)
} finally {
  rmSync(root, { recursive: true, force: true })
}
