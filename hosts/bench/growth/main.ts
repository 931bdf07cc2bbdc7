/**
 * `npm run bench:growth`: what grows with a deployment's age and size, on PostgreSQL. The same requests among 1,000 and among
 * 1,000,000 builds and test runs, in turns on two hosts; memory over as many requests as an hour brings at ten a second, as fast
 * as they go; a fast request's time while 5,000 connections are idle, 500 more dribble, and a preview of 3 GiB is finalized,
 * beside a bare Node; and the same request while 60 webhooks hang, 500 uploads dribble, a stranger guesses keys and such a preview is
 * finalized. On both engines, also the pages of the history of 2,000 tests on 400 branches among 1,000,000 runs, and what a history
 * adds to a registration. `--quick` does it with a tenth of the rows, requests or time, and `--only history` that part alone (or `more`, `memory`,
 * `connections`, `attack`, `pages`: what 500 open pages cost).
 */
import Table from "cli-table3"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { startPostgres } from "../../../adapters/postgres/testing/startPostgres.ts"
import { createClient } from "../../client/index.ts"
import { fill, load, reads } from "../repository.ts"
import { startSlipway } from "../peers/slipway.ts"
import { bundledIn, memoryOf, quantile } from "../program.ts"
import { attackBare, attackSlipway, type Connections, idle, slow } from "./attack.ts"
import { fillDatabase, largePreview, openPages, startBare } from "./openPages.ts"
import { measureHistory, type Times } from "./history.ts"

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false }, only: { type: "string" } } })
const part = values.quick ? 10 : 1
const sizes = [1000, 1_000_000 / part]
const [rounds, seconds] = values.quick ? [1, 1] : [5, 3]
const anHour = 36_000 / part
const [idleConnections, slowConnections] = [5000 / part, 500 / part]
const attackers = { webhooks: 60 / part, uploads: 500 / part }

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
    SLIPWAY_WEBHOOK_ALLOWED_NETWORKS: "127.0.0.0/8",
    SLIPWAY_MAX_TOTAL_SIZE: "4GiB"
  })
  stops.push(side.stop)
  const build = await fill(side.url, side.key)
  process.stderr.write(`filling in ${many(size)} builds and test runs\n`)
  await fillDatabase(database.url, size)
  return { ...side, build, database: database.url, size }
}
type Host = Awaited<ReturnType<typeof startAmong>>

const timesText = (times: Times | undefined): string =>
  times === undefined ? "" : `${times.p50.toFixed(1)} · ${times.p99.toFixed(1)}`

/** The times of one read after the other, until it is over. */
const readsUntil = async (read: () => Promise<unknown>, isOver: () => boolean): Promise<Times> => {
  const millis = new Array<number>()
  do {
    const began = performance.now()
    await read()
    millis.push(performance.now() - began)
  } while (!isOver())
  return { p50: quantile(millis), p99: quantile(millis, 0.99) }
}

const readsForSeconds = (read: () => Promise<unknown>): Promise<Times> => {
  const end = performance.now() + seconds * 2000
  return readsUntil(read, () => performance.now() >= end)
}

const readsDuring = async (read: () => Promise<unknown>, work: Promise<unknown>): Promise<Times> => {
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

const finalizedFiles = 30 / part
const whileFinalized = `and while ${many(finalizedFiles)} files of 100 MiB are finalized`

/** A bare Node, which knows no webhooks and no keys. */
const startBareNode = async () => {
  const bare = await startBare(root, finalizedFiles)
  stops.push(bare.stop)
  const got = async (path: string, method: "GET" | "POST") => (await fetch(bare.line + path, { method })).text()
  return { url: bare.line, read: () => got("/", "GET"), finalize: () => got("/finalize", "POST") }
}

const printReads = (names: ReadonlyArray<string>, ours: ReadonlyArray<Times>, theirs: ReadonlyArray<Times>): void =>
  print(
    ["one read after the other, p50 · p99 in ms", "a build of Slipway", "a text of a bare Node", "p99, times"],
    names.map((name, index) => {
      const [our, their] = [ours[index], theirs[index]]
      const ratio = our === undefined || their === undefined ? NaN : our.p99 / their.p99
      return [name, timesText(our), timesText(their), ratio.toFixed(1)]
    })
  )

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
  const finalize = await largePreview(host, finalizedFiles)
  const ours = await amongConnections(host.url, () => client.builds.read(host.build), finalize)
  const bare = await startBareNode()
  const theirs = await amongConnections(bare.url, bare.read, bare.finalize)
  printReads(
    [
      "alone",
      `beside ${many(idleConnections)} idle connections`,
      `and ${many(slowConnections)} that send ten bytes a second`,
      whileFinalized
    ],
    ours,
    theirs
  )
}

/** The times of a read alone, during an attack, and while a large preview is finalized during it. */
const underAttack = async (
  begin: () => Promise<Connections>,
  read: () => Promise<unknown>,
  finalize: () => Promise<unknown>
) => {
  const alone = await readsForSeconds(read)
  const attack = await begin()
  const attacked = await readsForSeconds(read)
  const besideFinalize = await readsDuring(read, finalize())
  attack.close()
  return [alone, attacked, besideFinalize]
}

const fastUnderAttack = async (host: Host): Promise<void> => {
  const client = createClient({ url: host.url, key: host.key })
  const finalize = await largePreview(host, finalizedFiles)
  const begin = () => attackSlipway(host.database, host, host.build, attackers)
  const ours = await underAttack(begin, () => client.builds.read(host.build), finalize)
  const bare = await startBareNode()
  const theirs = await underAttack(() => attackBare(bare.url, attackers), bare.read, bare.finalize)
  const { uploads, webhooks } = attackers
  printReads(
    ["alone", `beside ${webhooks} hanging webhooks, ${uploads} slow uploads, 100 guesses a second`, whileFinalized],
    ours,
    theirs
  )
}

/** The CPU time of a host while pages are open that listen to changes. */
const whilePagesAreOpen = async (host: Host): Promise<void> => {
  const options = { pages: 500 / part, seconds: 60 / part, runs: 5 }
  const { loads, share, without } = await openPages(host, options)
  print(
    [`CPU time of the host, of one core, while ${options.runs} runs are registered`, "", "limit"],
    [
      ["without open pages", `${(without * 100).toFixed(1)} %`, ""],
      [`${options.pages} open pages, loaded ${loads} times`, `${(share * 100).toFixed(1)} %`, "5 %"]
    ]
  )
}

/** The 99th percentile that a page and a search may have. */
const limitsMs = { page: 100, search: 50 }

/** The pages of the history of tests, and the registration of a run with its history and without, on both engines. */
const withHistories = async (): Promise<void> => {
  const database = await startPostgres({ settings: ["fsync=on", "synchronous_commit=on"] })
  stops.push(database.remove)
  for (const engine of ["SQLite", "PostgreSQL"] as const) {
    const folder = mkdtempSync(join(root, "history-"))
    const { history, pages, without } = await measureHistory(
      engine,
      engine === "SQLite" ? join(folder, "slipway.db") : database.url,
      { folder, rounds, runs: 1000 / part, times: readsForSeconds }
    )
    print(
      [`${engine}, one read after the other`, "p50 in ms", "p99", "limit", "", "ms of CPU time"],
      [...pages].map(
        ([
          name,
          {
            cpu,
            times: { p50, p99 }
          }
        ]) => {
          const limit = name.startsWith("search") ? limitsMs.search : limitsMs.page
          const isOver = p99 > limit ? "over" : "within"
          return [name, p50.toFixed(1), p99.toFixed(1), String(limit), isOver, (cpu / 1000).toFixed(1)]
        }
      )
    )
    const row = (name: string, ours: number, theirs: number) => [
      name,
      ours.toFixed(0),
      theirs.toFixed(0),
      (ours / theirs).toFixed(2)
    ]
    print(
      [`${engine}, the registration of a run`, "with history", "without", "times"],
      [row("statements", history.statements, without.statements), row("µs of CPU time", history.cpu, without.cpu)]
    )
  }
}

try {
  const isAsked = (name: string) => values.only === undefined || values.only === name
  if (isAsked("history")) await withHistories()
  if (values.only !== "history") {
    const main = await bundledIn(root)
    const few = await startAmong(main, sizes[0] ?? 0)
    const large = ["attack", "pages"].includes(values.only ?? "") ? few : await startAmong(main, sizes[1] ?? 0)
    if (isAsked("more")) await amongMore([few, large])
    if (isAsked("memory")) await memoryOverAnHour(large)
    if (isAsked("connections")) await fastAmongConnections(large)
    if (isAsked("attack")) await fastUnderAttack(large)
    if (isAsked("pages")) await whilePagesAreOpen(few)
  }
} finally {
  for (const stop of stops.toReversed()) await stop()
  rmSync(root, { recursive: true, force: true })
}
