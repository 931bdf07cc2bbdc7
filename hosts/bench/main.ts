/** `npm run bench`: the reference host beside a bare handler, on each set of engines. */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { parseArgs } from "node:util"
import Table from "cli-table3"
import { engineSets } from "./engineSets.ts"
import { load, operations, type Operation, type Rate } from "./load.ts"
import { fill } from "./repository.ts"
import type { Measured } from "./server.ts"

const rounds = 3
const { values } = parseArgs({ options: { seconds: { type: "string", default: "1" }, only: { type: "string" } } })
const seconds = Number(values.seconds)
if (!(seconds > 0)) throw new Error("--seconds must be a number over 0")

const middle = (numbers: ReadonlyArray<number>): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? NaN

interface Figure {
  readonly host: Rate
  readonly bare: Rate
  readonly ratio: number
}

/** Measures both in turns, so that other work on the machine affects both. The median round of each counts. */
const measure = async (operation: Operation, { bare, host, key }: Measured): Promise<Figure> => {
  const of = { host: new Array<Rate>(), bare: new Array<Rate>() }
  for (const url of [host, bare]) await load(operation, url, key, seconds)
  for (let round = 0; round < rounds; round += 1) {
    of.host.push(await load(operation, host, key, seconds))
    of.bare.push(await load(operation, bare, key, seconds))
  }
  const rate = (rates: ReadonlyArray<Rate>): Rate => ({
    perSecond: middle(rates.map(({ perSecond }) => perSecond)),
    p99: middle(rates.map(({ p99 }) => p99))
  })
  const ratio = middle(of.host.map(({ perSecond }, round) => perSecond / (of.bare[round]?.perSecond ?? NaN)))
  return { host: rate(of.host), bare: rate(of.bare), ratio }
}

const table = new Table({
  head: ["engines", "operation", "host /s", "bare /s", "ratio", "host p99 ms", "bare p99 ms"],
  colAligns: ["left", "left", "right", "right", "right", "right", "right"],
  style: { head: [], border: [], compact: true }
})

for (const name of Object.keys(engineSets).filter((set) => values.only === undefined || set.includes(values.only))) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), name], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = once(child, "close")
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (line.done === true) throw new Error(`the servers on ${name} ended before they were ready`)
  const measured: Measured = JSON.parse(line.value)
  const build = await fill(measured.host, measured.key)
  for (const operation of operations(build)) {
    process.stderr.write(`${name}: ${operation.name}\n`)
    const { bare, host, ratio } = await measure(operation, measured)
    table.push([
      name,
      operation.name,
      host.perSecond.toFixed(0),
      bare.perSecond.toFixed(0),
      ratio.toFixed(2),
      host.p99,
      bare.p99
    ])
  }
  child.stdin.end()
  await ended
}
console.log(table.toString())
