/** One fault run on one set of engines, as a program: `main.ts` starts it. */
import { mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout } from "node:timers/promises"
import { startPostgres } from "../../adapters/postgres/testing/startPostgres.ts"
import { startCeph } from "../../adapters/s3/testing/startCeph.ts"
import { newRecord, type Options, parseOptions } from "./choices.ts"
import { startClients } from "./clients.ts"
import { type Deployment, onPostgres, onSqlite, sharedBucket, startLink, type Wanted } from "./deployment.ts"
import {
  type Disturbances,
  judgeAll,
  onPostgresAndCeph,
  onSqliteAndFiles,
  openScene,
  type Surroundings,
  showing,
  spaceComesBack
} from "./situations.ts"

/** The engines of a run, and what can be done to them. */
interface Opened {
  readonly deployment: Deployment
  readonly disturbances: Disturbances
  /** Waits until every reservation of the run has ended, or makes it so. */
  readonly untilOver: (scene: Surroundings) => Promise<void>
  readonly close: () => Promise<void>
}

const openSqlite = async (wanted: Wanted): Promise<Opened> => {
  const disk = process.env["FAULTS_DISK"]
  const data = join(disk ?? wanted.folder, "data")
  const deployment = await onSqlite(data, wanted)
  return {
    deployment,
    disturbances: onSqliteAndFiles(disk),
    untilOver: async ({ world }) => world.hosts.forEach((host) => host.moveClock(host.clock() + 300_000)),
    close: deployment.close
  }
}

/** The lifetime of a reservation whose answer was lost, and some seconds. */
const longestSilence = 65_000

const openPostgres = async (wanted: Wanted): Promise<Opened> => {
  // A server as it is in production, which forces its log to the disk.
  const [postgres, ceph] = [await startPostgres({ settings: [] }), await startCeph()]
  const [database, store] = [
    await startLink(Number(new URL(postgres.url).port)),
    await startLink(Number(new URL(ceph.endpoint).port))
  ]
  const through = new URL(postgres.url)
  through.port = String(database.port)
  // The SDK finds the credentials there, also for commands that run in this process.
  process.env["AWS_ACCESS_KEY_ID"] = ceph.accessKeyId
  process.env["AWS_SECRET_ACCESS_KEY"] = ceph.secretAccessKey
  const deployment = await onPostgres(
    { url: postgres.url, through: through.href },
    sharedBucket(ceph, `http://127.0.0.1:${store.port}`),
    wanted
  )
  return {
    deployment,
    disturbances: onPostgresAndCeph(postgres, ceph, { database, store }),
    untilOver: async ({ world }) => {
      await setTimeout(Math.max(world.lastEnd - Date.now(), longestSilence))
    },
    close: async () => {
      await deployment.close()
      await Promise.all([database.close(), store.close(), postgres.remove(), ceph.remove()])
    }
  }
}

const opens = { sqlite: openSqlite, postgres: openPostgres }

const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Disturbs a deployment until the time is over, or a planted bug was found. */
const disturb = async (
  scene: Surroundings,
  disturbances: Disturbances,
  { minutes, planted }: Options
): Promise<void> => {
  const { choices, world } = scene
  const { record } = world
  const until = performance.now() + minutes * 60_000
  const next = choices.inTurn(Object.keys(disturbances))
  const began = performance.now()
  for (let nth = 0; performance.now() < until; nth++) {
    if (planted !== undefined && record.promisesBroken.length > 0) return
    // Every other time a planted bug gets the situation in which it shows.
    const shown = planted !== undefined && nth % 2 === 0 ? showing[planted] : undefined
    const name = shown === undefined ? next() : "the planted bug"
    const seconds = Math.round((performance.now() - began) / 1000)
    if (process.stdout.isTTY || planted === undefined) say(`  ${String(seconds).padStart(4)} s  ${name}`)
    await (shown ?? disturbances[name])?.(scene)
    record.count(shown === undefined ? `! ${name}` : "! situation of the planted bug")
    await setTimeout(choices.below(1500))
  }
}

/** How many lines of errors the hosts have logged. */
const errorsLogged = (folder: string): number =>
  readdirSync(folder)
    .filter((name) => name.endsWith(".log"))
    .flatMap((name) => readFileSync(join(folder, name), "utf8").split("\n"))
    .filter((line) => /\bERROR\b/.test(line)).length

const report = (counts: ReadonlyMap<string, number>): void => {
  const lines = [...counts].toSorted(([a], [b]) => (a < b ? -1 : 1))
  const faults = lines.filter(([name]) => name.startsWith("! "))
  say("\n  what was done to it")
  for (const [name, count] of faults) say(`  ${String(count).padStart(9)}  ${name.slice(2)}`)
  say("  what its clients saw")
  for (const [name, count] of lines) if (!name.startsWith("! ")) say(`  ${String(count).padStart(9)}  ${name}`)
}

const options = parseOptions(process.argv.slice(2))
const folder = mkdtempSync(join(tmpdir(), "slipway-faults-"))
const record = newRecord((sentence) => say(`  BROKEN: ${sentence}`))
const { engines = "sqlite", planted, seed } = options
const { close, deployment, disturbances, untilOver } = await opens[engines]({ folder, planted, record })
const scene = await openScene(deployment, { record }, seed)
say(`${deployment.name}, ${options.minutes} minutes, --seed ${seed}${planted === undefined ? "" : `, with ${planted}`}`)
const clients = startClients(scene, seed)
await disturb(scene, disturbances, options)
scene.world.isOver = true
await clients
const isFound = planted !== undefined && record.promisesBroken.length > 0
if (!isFound) {
  say("  everything is checked once more")
  await judgeAll(scene)
  await untilOver(scene)
  say(`  ${await spaceComesBack(scene)}`)
}
await close()
record.count("lines of errors logged", errorsLogged(folder))
report(record.counts)
const broken = record.promisesBroken.length
say(`\n${deployment.name}: ${broken} broken promises${broken === 0 ? "" : `; the logs of the hosts are in ${folder}`}`)
if (broken === 0) rmSync(folder, { recursive: true, force: true })
process.exit(broken === 0 ? 0 : 1)
