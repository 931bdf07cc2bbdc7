/**
 * `npm run bench:peers`: the published Slipway beside what people would use instead, on the same work in the same run. The
 * sides alternate, and the median of the rounds counts. CPU ratios have the quartiles of the rounds. `--quick` takes one short round, `--only TEXT` the rows whose name
 * holds it, `--json FILE` writes the figures.
 */
import Table from "cli-table3"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { cpus, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startPostgres } from "../../../adapters/postgres/testing/startPostgres.ts"
import { bundledIn, quantile } from "../program.ts"
import { commandRows } from "./commands.ts"
import type { Figure } from "./load.ts"
import { rowsOf, type Row } from "./rows.ts"
import { install, type Side, versions } from "./slipway.ts"
import { uploadRows } from "./uploads.ts"

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, only: { type: "string" }, json: { type: "string" } }
})
const lengthOf = ({ brief }: Row): readonly [rounds: number, seconds: number] =>
  values.quick ? [1, 1] : brief ? [40, 1] : [5, 4]

const middle = (figures: ReadonlyArray<Figure>): Figure => {
  const of = (pick: (figure: Figure) => number | undefined) => quantile(figures.map((figure) => pick(figure) ?? NaN))
  return {
    perSecond: of((figure) => figure.perSecond),
    p50Millis: of((figure) => figure.p50Millis),
    p99Millis: of((figure) => figure.p99Millis),
    cpuMicros: of((figure) => figure.cpuMicros),
    peakMiB: of((figure) => figure.peakMiB)
  }
}

interface Measured {
  readonly work: string
  readonly side: string
  readonly figure: Figure
  /** How many times as fast Slipway is. */
  readonly ratio: number
  /** Processor time of a request, divided by Slipway's of the same round: first quartile, median, third quartile. */
  readonly cpuRatios: readonly [number, number, number]
}

const measured = async (row: Row): Promise<ReadonlyArray<Measured>> => {
  const { sides, work } = row
  const [rounds, seconds] = lengthOf(row)
  const taken = sides.map(() => new Array<Figure>())
  // The first round warms up and doesn't count.
  for (let round = values.quick ? 1 : 0; round <= rounds; round += 1) {
    // Each second round in reverse, so that no side always runs after the same one.
    const order = [...sides.entries()]
    for (const [index, { name, run }] of round % 2 === 0 ? order : order.toReversed()) {
      process.stderr.write(`${work}, ${round === 0 ? "warming up" : `round ${round}`}: ${name}\n`)
      const figure = await run(round === 0 ? 4 : seconds)
      if (round > 0) taken[index]?.push(figure)
    }
  }
  const figures = taken.map(middle)
  return sides.map(({ name }, index) => {
    const figure = figures[index] ?? middle([])
    const cpuRatios = taken[index]?.map(
      ({ cpuMicros = NaN }, round) => cpuMicros / (taken[0]?.[round]?.cpuMicros ?? NaN)
    )
    return {
      work,
      side: name,
      figure,
      ratio: (figures[0]?.perSecond ?? NaN) / figure.perSecond,
      cpuRatios: [quantile(cpuRatios ?? [], 0.25), quantile(cpuRatios ?? []), quantile(cpuRatios ?? [], 0.75)]
    }
  })
}

const shown = (number: number | undefined, digits = 0): string =>
  number === undefined || Number.isNaN(number) ? "" : number.toFixed(digits)

const shownRate = (perSecond: number): string => shown(perSecond, perSecond < 10 ? 1 : 0)

const shownSpread = ([low, median, high]: Measured["cpuRatios"]): string =>
  Number.isNaN(median) ? "" : `${median.toFixed(3)} (${low.toFixed(3)}–${high.toFixed(3)})`

const scratch = install()
const root = mkdtempSync(join(tmpdir(), "slipway-bench-peers-data-"))
const database = await startPostgres({ settings: ["fsync=on", "synchronous_commit=on"] })
const stops = new Array<() => Promise<void>>()
const table = new Table({
  head: ["work", "side", "/s", "Slipway ÷ side", "CPU µs", "CPU ÷ Slipway", "p50 ms", "p99 ms", "peak MiB"],
  colAligns: ["left", "left", "right", "right", "right", "right", "right", "right", "right"],
  style: { head: [], border: [], compact: true }
})
/** A row of the table in docs/performance.md. */
const rowText = ([own, ...peers]: ReadonlyArray<Measured>): string => {
  const { cpuMicros, p50Millis, p99Millis, perSecond } = own?.figure ?? middle([])
  const beside = peers.map(({ figure, ratio, side }) => `${side} ${shownRate(figure.perSecond)} (${shown(ratio, 2)})`)
  const cells = [
    shownRate(perSecond),
    `${shown(cpuMicros)} µs`,
    `${shown(p50Millis, 1)} ms`,
    `${shown(p99Millis, 1)} ms`
  ]
  return `| ${[own?.work, ...cells, beside.join(", ")].join(" | ")} |`
}

try {
  const main = await bundledIn(root)
  const stopLater = ({ stop }: Pick<Side, "stop">) => void stops.push(stop)
  const rows = [
    ...(await rowsOf({ scratch, main, root, database: database.url, stopLater })),
    ...(await uploadRows({ scratch, main, root, stopLater })),
    ...(await commandRows({ scratch, main, root, stopLater }))
  ]
  const all = new Array<Measured>()
  for (const row of rows.filter(({ work }) => work.includes(values.only ?? ""))) {
    // A failure doesn't lose the other rows.
    await measured(row).then(
      (figures) => void all.push(...figures),
      (error: unknown) => {
        process.exitCode = 1
        console.error(row.work, error)
      }
    )
  }
  for (const { cpuRatios, figure, ratio, side, work } of all) {
    table.push([
      work,
      side,
      shownRate(figure.perSecond),
      side === "Slipway" ? "" : shown(ratio, 2),
      shown(figure.cpuMicros),
      side === "Slipway" ? "" : shownSpread(cpuRatios),
      shown(figure.p50Millis, 1),
      shown(figure.p99Millis, 1),
      shown(figure.peakMiB)
    ])
  }
  console.log(table.toString())
  console.log("| operation | requests/s | CPU/request | p50 | p99 | peers: requests/s (ratio) |")
  console.log("| --- | --- | --- | --- | --- | --- |")
  for (const row of Map.groupBy(all, ({ work }) => work).values()) console.log(rowText(row))
  const peaks = Map.groupBy(all, ({ side }) => side)
  const peakOf = (of: ReadonlyArray<Measured>) => Math.max(...of.map(({ figure }) => figure.peakMiB ?? 0))
  console.log(`Most memory: ${[...peaks].map(([side, of]) => `${side} ${shown(peakOf(of))} MiB`).join(", ")}`)
  const { version }: { readonly version: string } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../package.json"), "utf8")
  )
  const about = {
    date: new Date().toISOString(),
    machine: `${cpus().length} × ${cpus()[0]?.model ?? "unknown"}`,
    node: process.version,
    load: loadavg()[0],
    versions: { slipway: version, ...versions }
  }
  console.log(`${about.machine}, Node ${about.node}, load ${about.load?.toFixed(1)}`)
  if (values.json !== undefined) writeFileSync(values.json, JSON.stringify({ ...about, rows: all }, undefined, 2))
} finally {
  for (const stop of stops.toReversed()) await stop()
  await database.remove()
  rmSync(root, { recursive: true, force: true })
}
