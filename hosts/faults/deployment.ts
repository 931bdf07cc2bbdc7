/** The hosts of a fault run on their engines, and what lies in these engines. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { DatabaseSync } from "node:sqlite"
import * as filesystem from "../../adapters/filesystem/index.ts"
import * as s3 from "../../adapters/s3/store.ts"
import type { S3Server } from "../../adapters/s3/testing/startCeph.ts"
import { SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { JobName } from "../../core/model/Sweep.ts"
import { dataFolder } from "../node/settings/dataFolder.ts"
import { makeHost, type HostProcess } from "./hostProcess.ts"
import type { Planted } from "./planted.ts"
import type { Record } from "./record.ts"

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
export interface SharedStore {
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
    while ((await doneAt(job)) === before) await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** How many reservations there are in the database. */
export const reservations = async ({ query }: Deployment): Promise<number> => {
  const rows = await query(
    "SELECT (SELECT count(*) FROM build_reservations) + (SELECT count(*) FROM previews) AS found"
  )
  return Number(Reflect.get(Object(rows[0]), "found"))
}
