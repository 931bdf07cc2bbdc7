/** The hosts of a fault run on their engines, and what lies in these engines. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createWriteStream, renameSync, writeFileSync } from "node:fs"
import { connect, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { DatabaseSync } from "node:sqlite"
import { setTimeout } from "node:timers/promises"
import * as filesystem from "../../adapters/filesystem/index.ts"
import { freePort } from "../../adapters/postgres/testing/freePort.ts"
import * as s3 from "../../adapters/s3/store.ts"
import type { S3Server } from "../../adapters/s3/testing/startCeph.ts"
import { SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import { JobName } from "../../core/model/Sweep.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { dataFolder } from "../node/settings/dataFolder.ts"
import type { Record } from "./choices.ts"
import type { Planted, Step } from "./planted.ts"

/** What lies in an object store. */
export interface Stored {
  readonly objects: number
  readonly bytes: number
}

export interface Deployment {
  readonly name: string
  readonly hosts: readonly [HostProcess, ...Array<HostProcess>]
  /** The settings by which a command reaches the same engines. */
  readonly settings: Readonly<globalThis.Record<string, string>>
  /** The rows that a statement selects. */
  readonly query: (statement: string) => Promise<ReadonlyArray<object>>
  readonly stored: () => Promise<Stored>
  /** The clock that decides on expiry here, in milliseconds: that of the database server, or else of the host. */
  readonly now: () => number
  readonly close: () => Promise<void>
}

/** What every deployment is made with. The folder holds what its hosts log. */
export interface Wanted {
  readonly folder: string
  readonly planted: Planted | undefined
  readonly record: Record
}

/** Everything expires as soon as the settings allow, so that a run of minutes includes it. */
const usual = {
  SLIPWAY_SECRET: "the same on every host of a fault run",
  SLIPWAY_SWEEP_INTERVAL: "1s",
  SLIPWAY_SWEEP_GRACE: "1s",
  SLIPWAY_SWEEP_RATE: "1000",
  SLIPWAY_RESERVATION_TTL: "1m",
  SLIPWAY_KEEP_BUILDS_PER_BRANCH: "3",
  SLIPWAY_SHUTDOWN_TIMEOUT: "1s"
}

const storedIn = <E>(layer: Layer.Layer<ObjectStore, E>): Promise<Stored> =>
  Effect.gen(function* () {
    const store = yield* ObjectStore
    return yield* Stream.runFold(
      Stream.concat(store.scan("uploads/"), store.scan("hosted/")),
      (): Stored => ({ objects: 0, bytes: 0 }),
      ({ bytes, objects }, { sizeBytes }) => ({ objects: objects + 1, bytes: bytes + sizeBytes })
    )
  }).pipe(Effect.provide(layer), Effect.runPromise)

const filesIn = (data: string) =>
  filesystem
    .layer({ directory: dataFolder(data).objects })
    .pipe(Layer.provide(SignedUrls.layer({ secret: Redacted.make(usual.SLIPWAY_SECRET), baseUrl: "http://127.0.0.1" })))

const closing = (hosts: ReadonlyArray<HostProcess>) => async () =>
  void (await Promise.all(hosts.map(({ close }) => close())))

/** One host on SQLite and files, below `data`. */
export const onSqlite = async (data: string, wanted: Wanted): Promise<Deployment> => {
  const settings = { ...usual, SLIPWAY_DATA: data }
  const host = await makeHost({ ...wanted, name: "the host", env: settings })
  return {
    name: "SQLite and files",
    hosts: [host],
    settings,
    query: async (statement) => {
      const db = new DatabaseSync(dataFolder(data).metadata, { readOnly: true, timeout: 10_000 })
      try {
        return db.prepare(statement).all()
      } finally {
        db.close()
      }
    },
    stored: () => storedIn(filesIn(data)),
    now: () => Date.now() + host.clock(),
    close: closing([host])
  }
}

/** Where the objects of several hosts lie. */
interface SharedStore {
  readonly name: string
  readonly settings: Readonly<globalThis.Record<string, string>>
  readonly layer: Layer.Layer<ObjectStore, unknown>
}

/** Files in a folder that all hosts share. */
export const sharedFiles = (data: string): SharedStore => ({
  name: "files",
  settings: { SLIPWAY_DATA: data },
  layer: filesIn(data)
})

/** A bucket, which hosts reach at `endpoint`. They pass uploads on to it: Ceph 16 is not safe for URLs of clients. */
export const sharedBucket = (server: S3Server, endpoint: string): SharedStore => ({
  name: "S3 through the host",
  settings: {
    SLIPWAY_S3_UPLOADS: "host",
    SLIPWAY_S3_BUCKET: server.bucket,
    SLIPWAY_S3_ENDPOINT: endpoint,
    SLIPWAY_S3_REGION: server.region,
    AWS_ACCESS_KEY_ID: server.accessKeyId,
    AWS_SECRET_ACCESS_KEY: server.secretAccessKey
  },
  layer: s3.layer({
    bucket: server.bucket,
    endpoint: server.endpoint,
    region: server.region,
    credentials: {
      accessKeyId: Redacted.make(server.accessKeyId),
      secretAccessKey: Redacted.make(server.secretAccessKey)
    }
  })
})

/** Two hosts on a PostgreSQL, which they reach at `through`, and on the same objects. */
export const onPostgres = async (
  database: { readonly url: string; readonly through: string },
  store: SharedStore,
  wanted: Wanted
): Promise<Deployment> => {
  const env = { ...usual, ...store.settings, DATABASE_URL: database.through }
  const hosts = [
    await makeHost({ ...wanted, name: "the first host", env }),
    await makeHost({ ...wanted, name: "the second host", env })
  ] as const
  return {
    name: `PostgreSQL and ${store.name}`,
    hosts: [...hosts],
    settings: { ...env, DATABASE_URL: database.url },
    query: (statement) =>
      Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<object>(statement)).pipe(
        Effect.provide(PgClient.layer({ url: Redacted.make(database.url), maxConnections: 1 })),
        Effect.runPromise
      ),
    stored: () => storedIn(store.layer),
    now: () => Date.now(),
    close: closing(hosts)
  }
}

/** Resolves when every frequent job of the sweep has run that began after this call. */
export const swept = async ({ query }: Deployment): Promise<void> => {
  const jobs = JobName.literals.filter((job) => job !== "collect_garbage")
  const doneAt = async (job: string) =>
    JSON.stringify(await query(`SELECT done_at FROM job_checkpoints WHERE job = '${job}'`).catch(() => []))
  // The first run to end may have begun before.
  for (const job of [...jobs, ...jobs]) {
    const before = await doneAt(job)
    while ((await doneAt(job)) === before) await setTimeout(50)
  }
}

/** How many reservations there are in the database. */
export const reservations = async ({ query }: Deployment): Promise<number> => {
  const rows = await query(
    "SELECT (SELECT count(*) FROM build_reservations) + (SELECT count(*) FROM previews) AS found"
  )
  return Number(Reflect.get(Object(rows[0]), "found"))
}

// A connection between two programs that can be cut, or held up.

export interface Link {
  /** The port that leads to the server. */
  readonly port: number
  /** Cuts every connection that is open. */
  readonly cut: () => void
  /** Passes nothing on until `release`, and cuts nothing. */
  readonly hold: () => void
  readonly release: () => void
  readonly close: () => Promise<void>
}

/** A link to a port of this machine. */
export const startLink = async (to: number): Promise<Link> => {
  const open = new Set<Socket>()
  let isHeld = false
  const pass = (from: Socket, into: Socket) => {
    open.add(from)
    from.on("error", () => undefined)
    from.on("close", () => {
      open.delete(from)
      into.destroy()
    })
    from.on("data", (bytes) => void into.write(bytes))
    from.on("end", () => into.end())
    if (isHeld) from.pause()
  }
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const target = connect({ port: to, host: "127.0.0.1", allowHalfOpen: true })
    for (const socket of [client, target]) socket.setNoDelay(true)
    pass(client, target)
    pass(target, client)
  })
  await once(server.listen(0, "127.0.0.1"), "listening")
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("a TCP server has an address and a port")
  const cut = () => open.forEach((socket) => socket.destroy())
  return {
    port: address.port,
    cut,
    hold: () => {
      isHeld = true
      open.forEach((socket) => socket.pause())
    },
    release: () => {
      isHeld = false
      open.forEach((socket) => socket.resume())
    },
    close: async () => {
      server.close()
      cut()
      await once(server, "close")
    }
  }
}

// A host in a process of its own, behind a link, with a clock that can be moved.

export interface HostProcess {
  readonly name: string
  readonly url: string
  readonly link: Link
  /** Starts it, again and again until it listens: an engine may be away. `env` is for this start alone. */
  readonly start: (options?: { readonly killAt?: Step; readonly env?: NodeJS.ProcessEnv }) => Promise<void>
  readonly kill: () => Promise<void>
  /** Stops it where it stands until `thaw`; what it is asked meanwhile waits. */
  readonly freeze: () => void
  readonly thaw: () => void
  /** Resolves when it has ended by itself, as one does that kills itself at a step. */
  readonly ended: () => Promise<void>
  /** How far its clock is ahead, in milliseconds, from now on. */
  readonly moveClock: (millis: number) => void
  readonly clock: () => number
  readonly close: () => Promise<void>
}

const preload = join(import.meta.dirname, "../cli/testing/shiftedClock.ts")
const published = join(import.meta.dirname, "../cli/main.ts")
const altered = join(import.meta.dirname, "host.ts")

/** A host of these settings that is not started yet. What it logs is in a file of the folder. */
const makeHost = async (options: {
  readonly name: string
  readonly folder: string
  readonly env: NodeJS.ProcessEnv
  readonly planted: Planted | undefined
  readonly record: Record
}): Promise<HostProcess> => {
  const { env, folder, name, planted, record } = options
  const port = await freePort()
  const link = await startLink(port)
  const url = `http://127.0.0.1:${link.port}`
  const clockFile = join(folder, `${name}.clock`)
  const log = createWriteStream(join(folder, `${name}.log`))
  const now: { shift: number; child: ChildProcess | undefined; isWanted: boolean; closed: Promise<unknown> } = {
    shift: 0,
    child: undefined,
    isWanted: false,
    closed: Promise.resolve()
  }

  const moveClock = (millis: number) => {
    now.shift = millis
    // In one step, as the host may read it at any moment.
    writeFileSync(`${clockFile}.next`, String(millis))
    renameSync(`${clockFile}.next`, clockFile)
  }
  moveClock(0)

  const startOnce = async (killAt: Step | undefined, more: NodeJS.ProcessEnv): Promise<boolean> => {
    const program = killAt === undefined && planted === undefined ? published : altered
    const started = spawn(process.execPath, ["--import", preload, program, "serve", "--port", String(port)], {
      cwd: folder,
      env: {
        PATH: process.env["PATH"],
        ...env,
        SLIPWAY_URL: url,
        SHIFTED_CLOCK_FILE: clockFile,
        ...(planted === undefined ? {} : { FAULTS_PLANTED: planted }),
        ...(killAt === undefined ? {} : { FAULTS_KILL_AT: killAt }),
        ...more
      },
      stdio: ["ignore", "pipe", "pipe"]
    })
    now.child = started
    started.stderr.pipe(log, { end: false })
    const closed = once(started, "close")
    now.closed = closed
    const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]()
    const first = await Promise.race([lines.next(), closed.then(() => undefined)])
    if (first === undefined || first.done === true) return false
    started.stdout.resume()
    void closed.then(() => {
      if (now.isWanted && now.child === started && killAt === undefined) {
        record.broken(`${name} ended by itself, with ${started.exitCode ?? started.signalCode}; see ${folder}`)
      }
    })
    return true
  }
  const kill = async () => {
    now.isWanted = false
    now.child?.kill("SIGKILL")
    await now.closed
  }
  return {
    name,
    url,
    link,
    moveClock,
    clock: () => now.shift,
    start: async ({ env: more = {}, killAt } = {}) => {
      now.isWanted = true
      while (now.isWanted && !(await startOnce(killAt, more))) await setTimeout(200)
    },
    kill,
    freeze: () => void now.child?.kill("SIGSTOP"),
    thaw: () => void now.child?.kill("SIGCONT"),
    ended: async () => void (await now.closed),
    close: async () => {
      await kill()
      await link.close()
      log.end()
    }
  }
}
