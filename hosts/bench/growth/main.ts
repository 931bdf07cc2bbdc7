/**
 * `npm run bench:growth`: what grows with a deployment's age and size, on PostgreSQL. The same requests among 1,000 and among
 * 1,000,000 builds and test runs, in turns on two hosts; memory over as many requests as an hour brings at ten a second, as fast
 * as they go; a fast request's time while 5,000 connections are idle, 500 more dribble, and a preview of 3 GiB is finalized,
 * beside a bare Node. `--quick` does it with a tenth.
 */
import Table from "cli-table3"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startPostgres } from "../../../adapters/postgres/testing/startPostgres.ts"
import { createClient } from "../../client/index.ts"
import { load, reads } from "../load.ts"
import { startSlipway } from "../peers/slipway.ts"
import { bundledIn, memoryOf, quantile } from "../program.ts"
import { fill } from "../repository.ts"
import { idle, slow } from "./connections.ts"
import { fillDatabase } from "./fill.ts"
import { largePreview, startBare } from "./largePreview.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false } } })
const part = values.quick ? 10 : 1
const sizes = [1000, 1_000_000 / part]
const [rounds, seconds] = values.quick ? [1, 1] : [5, 3]
const anHour = 36_000 / part
const [idleConnections, slowConnections] = [5000 / part, 500 / part]

const root = mkdtempSync(join(tmpdir(), "slipway-bench-growth-"))
const stops = new Array<() => Promise<void>>()
const many = (count: number): string => count.toLocaleString("en")
const print = (head: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): void => {
  const colAligns: ReadonlyArray<"left" | "right"> = head.map((_, index) => (index === 0 ? "left" : "right"))
  const table = new Table({
    head: [...head],
    colAligns: [...colAligns],
    style: { head: [], border: [], compact: true }
  })
  table.push(...rows.map((row) => [...row]))
  console.log(table.toString())
}

/** A host on a database of its own, which holds so many builds and test runs. */
const startAmong = async (main: string, size: number) => {
  const database = await startPostgres({ settings: ["fsync=on", "synchronous_commit=on"] })
  stops.push(database.remove)
  const side = await startSlipway(main, root, {
    DATABASE_URL: database.url,
    SLIPWAY_SECRET: "a secret of the bench, long enough to be one",
    SLIPWAY_MAX_TOTAL_SIZE: "4GiB"
  })
  stops.push(side.stop)
  const build = await fill(side.url, side.key)
  process.stderr.write(`filling in ${many(size)} builds and test runs\n`)
  await fillDatabase(database.url, size)
  return { ...side, build, size }
}
type Host = Awaited<ReturnType<typeof startAmong>>

/** The milliseconds of one read after the other, until it is over. */
const readsUntil = async (read: () => Promise<unknown>, isOver: () => boolean): Promise<string> => {
  const millis = new Array<number>()
  do {
    const began = performance.now()
    await read()
    millis.push(performance.now() - began)
  } while (!isOver())
  return `${quantile(millis).toFixed(1)} · ${quantile(millis, 0.99).toFixed(1)}`
}

const readsForSeconds = (read: () => Promise<unknown>): Promise<string> => {
  const end = performance.now() + seconds * 2000
  return readsUntil(read, () => performance.now() >= end)
}

const readsDuring = async (read: () => Promise<unknown>, work: Promise<unknown>): Promise<string> => {
  const state = { isOver: false }
  const ended = work.finally(() => (state.isOver = true))
  const [reads] = await Promise.all([readsUntil(read, () => state.isOver), ended])
  return reads
}

const amongMore = async (hosts: ReadonlyArray<Host>): Promise<void> => {
  const rates = new Map<string, Array<Array<number>>>()
  for (let round = 0; round <= rounds; round += 1) {
    for (const [index, host] of hosts.entries()) {
      for (const read of reads(host.build)) {
        const perSecond = await load(read, host.url, host.key, seconds)
        const taken = rates.get(read.name) ?? hosts.map(() => [])
        // The first round warms up and doesn't count.
        if (round > 0) taken[index]?.push(perSecond)
        rates.set(read.name, taken)
      }
    }
  }
  const rows = [...rates].map(([name, taken]) => {
    const [few = NaN, most = NaN] = taken.map((numbers) => quantile(numbers))
    return [name, few.toFixed(0), most.toFixed(0), (few / most).toFixed(2)]
  })
  print(["16 connections", ...sizes.map((size) => `/s among ${many(size)}`), "times the time"], rows)
}

/** How much memory the host has after a tenth, half and all of an hour's requests. */
const memoryOverAnHour = async (host: Host): Promise<void> => {
  const client = createClient({ url: host.url, key: host.key })
  const at = new Array<number>()
  const marks = [anHour / 10, anHour / 2, anHour]
  let done = 0
  const work = async () => {
    while (done < anHour) {
      done += 1
      if (marks.includes(done)) at.push(memoryOf(host.pid, "VmRSS"))
      await (done % 2 === 0
        ? client.builds.read(host.build)
        : client.testRuns.list({ org: "bench", repo: "app", limit: 20 }))
    }
  }
  await Promise.all(Array.from({ length: 16 }, work))
  print(
    ["MiB after so many reads and lists", ...marks.map(many), "at most"],
    [["memory", ...at.map((mebibytes) => mebibytes.toFixed(0)), memoryOf(host.pid, "VmHWM").toFixed(0)]]
  )
}

/** The times of a read alone, beside idle connections, beside dribbling ones too, and while a large preview is finalized too. */
const amongConnections = async (url: string, read: () => Promise<unknown>, finalize: () => Promise<unknown>) => {
  const alone = await readsForSeconds(read)
  const waiting = await idle(url, idleConnections)
  const besideIdle = await readsForSeconds(read)
  const dribbling = await slow(url, slowConnections)
  const besideSlow = await readsForSeconds(read)
  const besideFinalize = await readsDuring(read, finalize())
  dribbling.close()
  waiting.close()
  return [alone, besideIdle, besideSlow, besideFinalize]
}

const fastAmongConnections = async (host: Host): Promise<void> => {
  const client = createClient({ url: host.url, key: host.key })
  const files = 30 / part
  const finalize = await largePreview(host, files)
  const ours = await amongConnections(host.url, () => client.builds.read(host.build), finalize)
  const bare = await startBare(root, files)
  stops.push(bare.stop)
  const got = async (path: string, method: "GET" | "POST") => (await fetch(bare.line + path, { method })).text()
  const theirs = await amongConnections(
    bare.line,
    () => got("/", "GET"),
    () => got("/finalize", "POST")
  )
  const names = [
    "alone",
    `beside ${many(idleConnections)} idle connections`,
    `and ${many(slowConnections)} that send ten bytes a second`,
    `and while ${many(files)} files of 100 MiB are finalized`
  ]
  print(
    ["one read after the other, p50 · p99 in ms", "a build of Slipway", "a text of a bare Node"],
    names.map((name, index) => [name, ours[index] ?? "", theirs[index] ?? ""])
  )
}

try {
  const main = await bundledIn(root)
  const hosts = [await startAmong(main, sizes[0] ?? 0), await startAmong(main, sizes[1] ?? 0)]
  await amongMore(hosts)
  const [, large] = hosts
  if (large !== undefined) {
    await memoryOverAnHour(large)
    await fastAmongConnections(large)
  }
} finally {
  for (const stop of stops.toReversed()) await stop()
  rmSync(root, { recursive: true, force: true })
}
