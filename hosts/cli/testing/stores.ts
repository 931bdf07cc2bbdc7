/** New databases and bucket prefixes for tests, as the settings that name them. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { newDatabase } from "../../../adapters/postgres/testing/server.ts"
import { s3Server, type S3Server } from "../../../adapters/s3/testing/server.ts"
import { onTestFinished } from "vitest"
import { temporaryFolder } from "./slipway.ts"

/** The secret of every host in these tests. */
export const secret = { SLIPWAY_SECRET: "the same on every host of a test" }

/** A new and empty database, dropped when the test is over. */
export const databaseUrl = async (): Promise<string> => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  return Effect.runPromise(Scope.provide(newDatabase, scope))
}

/** The settings of new, empty stores, for tests that work on any engines: those that open fastest. */
export const anyStores = (): Record<string, string> => ({ ...secret, SLIPWAY_DATA: temporaryFolder() })

/** The settings of a new and empty database, which hosts and commands share. */
export const sharedStores = async (): Promise<Record<string, string>> => ({
  ...anyStores(),
  DATABASE_URL: await databaseUrl()
})

/** The settings of a bucket, below a new prefix. Uploads go through the host: it would refuse to give clients URLs of Ceph 16. */
export const bucketSettings = (server: S3Server): Record<string, string> => ({
  SLIPWAY_S3_BUCKET: server.bucket,
  SLIPWAY_S3_ENDPOINT: server.endpoint,
  SLIPWAY_S3_REGION: server.region,
  SLIPWAY_S3_PREFIX: `${crypto.randomUUID()}/`,
  SLIPWAY_S3_UPLOADS: "host",
  AWS_ACCESS_KEY_ID: server.accessKeyId,
  AWS_SECRET_ACCESS_KEY: server.secretAccessKey
})

/** The settings of one deployment on PostgreSQL and S3, new and empty. */
export const production = async (): Promise<Record<string, string>> => ({
  ...secret,
  ...bucketSettings(await s3Server()),
  DATABASE_URL: await databaseUrl()
})

/** Runs a statement on a database and returns its rows. */
export const runSql = (url: string, statement: string): Promise<ReadonlyArray<unknown>> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe(statement)).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })),
    Effect.runPromise
  )

/** The settings, with the user and password in the database URL replaced. */
export const as = (url: string, user: string, password: string): string => {
  const changed = new URL(url)
  changed.username = user
  changed.password = password
  return changed.href
}
