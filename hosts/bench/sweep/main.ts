/**
 * `npm run bench:sweep`: a million rows and a hundred thousand objects of SQLite and files, which nobody needs, are swept at the
 * bounded rate, while a build is read, one read after the other. The same reads of a host that doesn't sweep, on the same rows,
 * are measured in turns with these; the host that sweeps stands still meanwhile. `--quick` sweeps a tenth, and `--rate`
 * sets another rate (`SLIPWAY_SWEEP_RATE`).
 */
import Table from "cli-table3"
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { parseArgs } from "node:util"
import { pathsIn } from "../../../adapters/embedded/paths.ts"
import { createClient } from "../../client/index.ts"
import { startSlipway } from "../peers/slipway.ts"
import { bundledIn, quantile, started } from "../program.ts"
import { fill } from "../repository.ts"
import { fillFolder, leftIn } from "./fill.ts"

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, rate: { type: "string", default: "100" } }
})
const part = values.quick ? 10 : 1
const amounts = { rows: 1_000_000 / part, objects: 100_000 / part }
/** How long the reads of the host that sweeps are measured, in milliseconds, before it is the other one's turn for a quarter of that. */
const turn = 5000

const root = mkdtempSync(join(tmpdir(), "slipway-bench-sweep-"))
const stops = new Array<() => Promise<void>>()

/** A host on a data folder that is filled already. */
const startOn = async (main: string, data: string, env: NodeJS.ProcessEnv) => {
  const { line, pid, stop } = await started([main, "serve", "--port", "0"], {
    cwd: root,
    env: { ...process.env, ...env, SLIPWAY_DATA: data }
  })
  stops.push(stop)
  return { pid, url: line.split(" ").at(-1) ?? "" }
}

try {
  const main = await bundledIn(root)
  const [swept, still] = [join(root, "swept"), join(root, "still")]
  const first = await startSlipway(main, root, { SLIPWAY_DATA: swept, SLIPWAY_SWEEP_INTERVAL: "off" })
  const build = await fill(first.url, first.key)
  await first.stop()
  process.stderr.write(`filling in ${amounts.rows} rows and ${amounts.objects} objects\n`)
  fillFolder(swept, amounts)
  mkdirSync(dirname(pathsIn(still).metadata), { recursive: true })
  cpSync(swept, still, { recursive: true, filter: (from) => !from.startsWith(pathsIn(swept).objects) })

  const beside = await startOn(main, still, { SLIPWAY_SWEEP_INTERVAL: "off" })
  const host = await startOn(main, swept, { SLIPWAY_SWEEP_INTERVAL: "1s", SLIPWAY_SWEEP_RATE: values.rate })
  const reads = async (url: string, length: number): Promise<ReadonlyArray<number>> => {
    const client = createClient({ url, key: first.key })
    const millis = new Array<number>()
    const end = performance.now() + length
    while (performance.now() < end) {
      const began = performance.now()
      await client.builds.read(build)
      millis.push(performance.now() - began)
    }
    return millis
  }
  // A host's first requests take longer.
  for (const { url } of [host, beside]) await reads(url, turn)

  const taken = { sweeping: new Array<ReadonlyArray<number>>(), alone: new Array<ReadonlyArray<number>>() }
  const loads = new Array<number>()
  let left = leftIn(swept)
  while ((left["jobs"] ?? 0) > 0) {
    taken.sweeping.push(await reads(host.url, turn))
    process.kill(host.pid, "SIGSTOP")
    taken.alone.push(await reads(beside.url, turn / 4))
    left = leftIn(swept)
    loads.push(loadavg()[0] ?? NaN)
    process.kill(host.pid, "SIGCONT")
    const [sweeping, alone] = [taken.sweeping, taken.alone].map((rounds) =>
      quantile(rounds.at(-1) ?? [], 0.99).toFixed(2)
    )
    process.stderr.write(`left: ${JSON.stringify(left)}; p99 ${sweeping} ms, ${alone} ms without sweeping\n`)
  }

  const row = (name: string, rounds: ReadonlyArray<ReadonlyArray<number>>) => {
    const all = rounds.flat()
    const [middle, most] = [quantile(all), quantile(all, 0.99)]
    return { p99: most, cells: [name, String(all.length), middle.toFixed(2), most.toFixed(2)] }
  }
  const [sweeping, alone] = [row("while it sweeps", taken.sweeping), row("without sweeping, in turns", taken.alone)]
  const table = new Table({
    head: ["a build that is read by its id", "reads", "p50 ms", "p99 ms"],
    colAligns: ["left", "right", "right", "right"],
    style: { head: [], border: [], compact: true }
  })
  table.push(sweeping.cells, alone.cells)
  console.log(table.toString())
  const seconds = (taken.sweeping.length * turn) / 1000
  console.log(
    `p99 ${(sweeping.p99 / alone.p99).toFixed(2)} times its own; ${amounts.rows} rows and ${amounts.objects} objects in ` +
      `${seconds} s, ${values.rate} uploads a second; ${cpus().length} × ${cpus()[0]?.model}, load ${quantile(loads).toFixed(1)}`
  )
} finally {
  for (const stop of stops.toReversed()) await stop()
  rmSync(root, { recursive: true, force: true })
}
