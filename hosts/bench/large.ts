/**
 * `npm run bench:large` uploads 32 previews of 100 MiB to each set of engines that stores files. It prints how fast four PUTs at
 * once are, how long it takes to finalize all previews at once, and the 99th percentile of another request meanwhile.
 */
import Table from "cli-table3"
import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { createClient } from "../client/index.ts"
import { engineSets } from "./engineSets.ts"
import { fill } from "./repository.ts"
import type { Measured } from "./server.ts"

const many = 32
const mebibyte = 1024 ** 2
const sizeBytes = 100 * mebibyte
const contentType = "application/octet-stream"
const content = randomBytes(sizeBytes)
const contentHash = createHash("sha256").update(content).digest("hex")

/** The 99th percentile, in milliseconds, of a request that is repeated until `until` is settled. */
const latency = async (ask: () => Promise<unknown>, until: Promise<unknown>): Promise<number> => {
  const state = { isOver: false }
  void until.finally(() => (state.isOver = true))
  const taken: Array<number> = []
  while (!state.isOver) {
    const start = performance.now()
    await ask()
    taken.push(performance.now() - start)
  }
  return taken.toSorted((a, b) => a - b)[Math.floor(taken.length * 0.99)] ?? NaN
}

const measure = async ({ host, key }: Measured) => {
  const client = createClient({ url: host, key })
  const build = await fill(host, key)
  const other = () => client.builds.read(build)
  const reserved = await Promise.all(
    Array.from({ length: many }, () =>
      client.previews.reserve({ contentHash, bundleSizeBytes: sizeBytes, bundleContentType: contentType })
    )
  )
  const next = reserved.map(({ slots }) => slots.bundle).values()
  const start = performance.now()
  const putting = Promise.all(
    Array.from({ length: 4 }, async () => {
      for (const slot of next) await client.put(slot, content)
    })
  )
  const putP99 = await latency(other, putting)
  await putting
  const put = performance.now()
  const finalizing = Promise.all(reserved.map(({ token }) => client.previews.finalize(token)))
  const finalizeP99 = await latency(other, finalizing)
  await finalizing
  const finalized = performance.now()
  return { perSecond: (many * 100) / ((put - start) / 1000), finalize: (finalized - put) / 1000, putP99, finalizeP99 }
}

const table = new Table({
  head: ["engines", "PUT MiB/s", "another's p99 ms", "finalize s", "another's p99 ms"],
  colAligns: ["left", "right", "right", "right", "right"],
  style: { head: [], border: [], compact: true }
})
for (const name of Object.keys(engineSets).filter((set) => set.includes("files"))) {
  const child = spawn(process.execPath, [join(import.meta.dirname, "server.ts"), name], {
    stdio: ["pipe", "pipe", "inherit"]
  })
  const ended = once(child, "close")
  const line = await createInterface({ input: child.stdout })[Symbol.asyncIterator]().next()
  if (line.done === true) throw new Error(`the servers on ${name} ended before they were ready`)
  process.stderr.write(`${name}\n`)
  const { finalize, finalizeP99, perSecond, putP99 } = await measure(JSON.parse(line.value))
  table.push([name, perSecond.toFixed(0), putP99.toFixed(1), finalize.toFixed(2), finalizeP99.toFixed(1)])
  child.stdin.end()
  await ended
}
console.log(table.toString())
