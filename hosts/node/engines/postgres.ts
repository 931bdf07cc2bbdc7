import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Layer, type Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import * as postgres from "../../../adapters/postgres/index.ts"
import { MigrationFailed, OtherSchema } from "../../../adapters/postgres/index.ts"
import { databaseAddress, type DatabaseAddress, type DatabaseSettings } from "../settings/engineSettings.ts"
import { codeOf, type Fault, messageOf, networkFault, unreachedFault, unusable } from "./engines.ts"

/** The privilege to grant when the server reports "permission denied". */
const lacking = (said: string, database: string): string => {
  if (said.includes("for table")) return "SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public"
  return said.includes("for database") ? `CONNECT ON DATABASE "${database}"` : "USAGE, CREATE ON SCHEMA public"
}

/** PostgreSQL's error codes, explained to somebody who sets up Slipway. */
const known: Readonly<Record<string, (place: DatabaseAddress, said: string) => Fault>> = {
  "28P01": ({ server, user }) => ({
    detail: `${server} refuses the password of the user ${user}`,
    hint: "correct the user or the password in DATABASE_URL"
  }),
  "28000": ({ server }, said) => ({
    detail: `${server} refuses this kind of connection: ${said}`,
    hint: "correct DATABASE_URL (sslmode=require asks for TLS), or allow it in the server's pg_hba.conf"
  }),
  "3D000": ({ database, server }) => ({
    detail: `${server} has no database ${database}`,
    hint: `make it (CREATE DATABASE "${database}"), or correct DATABASE_URL`
  }),
  "42501": ({ database, user }, said) => ({
    detail: `the user ${user} may not do this in the database ${database}: ${said}`,
    hint: `as its owner, GRANT ${lacking(said, database)} TO "${user}"`
  }),
  "53300": ({ server }) => ({
    detail: `${server} has no free connection left`,
    hint: "raise its max_connections, or lower SLIPWAY_DATABASE_CONNECTIONS on every host"
  }),
  "57P03": ({ server }, said) => ({ detail: `${server} accepts no connections right now: ${said}`, hint: "try again" }),
  "25006": ({ server, user }) => ({
    detail: `${server} accepts no writes from the user ${user}`,
    hint: "point DATABASE_URL at the primary, and as a user whose transactions may write"
  })
}

/** The client's message if a server accepts a connection and then never answers. */
const silence = "Connection timed out"

/** Explains an error of the PostgreSQL client or of a migration. */
export const postgresFault = (error: Error, place: DatabaseAddress): Fault => {
  if (error instanceof OtherSchema)
    return { detail: `the database ${place.database}: ${error.detail}`, hint: error.hint }
  const code = codeOf(error)
  const said = messageOf(error).replace(/\.$/, "")
  const fault =
    known[code]?.(place, said) ?? networkFault(said === silence ? "ETIMEDOUT" : code, place.server, "DATABASE_URL")
  if (fault !== undefined) return fault
  return error instanceof MigrationFailed
    ? {
        detail: `the database ${place.database} can't be brought to this version's schema: ${said}`,
        hint: "repair its tables, or name a database that only Slipway uses in DATABASE_URL"
      }
    : { detail: `${place.server} can't be used: ${said}`, hint: "check the server, or correct DATABASE_URL" }
}

/** A server that was reached. `aheadMillis` is how far its clock is ahead of this machine's. */
interface Reached {
  readonly sql: PgClient.PgClient
  readonly version: string
  readonly roundTripMillis: number
  readonly aheadMillis: number
}

/**
 * Asks the server for its time and computes how far its clock is ahead, assuming it read the clock halfway through the
 * round trip.
 */
const askTime = Effect.fnUntraced(function* (sql: PgClient.PgClient) {
  const sentAt = yield* Clock.currentTimeMillis
  const [took, [row]] = yield* Effect.timed(
    sql<{
      readonly millis: number
    }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS millis`
  )
  const roundTripMillis = Duration.toMillis(took)
  return { roundTripMillis, aheadMillis: (row?.millis ?? 0) - sentAt - roundTripMillis / 2 }
})

const open = Effect.fnUntraced(function* (
  url: Redacted.Redacted
): Effect.fn.Return<Reached, SqlError.SqlError, Scope.Scope | Reactivity.Reactivity> {
  const sql = yield* PgClient.make({ url, maxConnections: 1, applicationName: "slipway doctor" })
  const [server] = yield* sql<{ readonly version: string }>`SELECT current_setting('server_version') AS version`
  const times = yield* Effect.replicateEffect(askTime(sql), 3)
  const [quickest] = times.toSorted((a, b) => a.roundTripMillis - b.roundTripMillis)
  return { sql, version: server?.version ?? "", ...(quickest ?? (yield* askTime(sql))) }
})

/** One connection to the PostgreSQL of a URL, until the scope closes. Times out after ten seconds. */
export const reachPostgres = (url: Redacted.Redacted): Effect.Effect<Reached, Fault, Scope.Scope> => {
  const place = databaseAddress(url)
  return open(url).pipe(
    Effect.mapError((error) => postgresFault(error, place)),
    Effect.timeoutOrElse({
      duration: "10 seconds",
      orElse: () => Effect.fail(unreachedFault(place.server, "no answer came in time", "DATABASE_URL"))
    }),
    Effect.provide(Reactivity.layer)
  )
}

/**
 * The metadata ports on a PostgreSQL server, at the newest schema. Any number of hosts may use it at once. A server that
 * can't be used is `EngineUnusable`, once at the start; one that goes away later ends nothing.
 */
export const layerPostgresMetadata = (database: DatabaseSettings) => on(database, postgres.layer)

/** Both sides of moving what a PostgreSQL server keeps, at the newest schema. */
export const layerPostgresSnapshot = (database: DatabaseSettings) =>
  on(database, Layer.mergeAll(postgres.layerSource, postgres.layerTarget))

const on = <A>(
  database: DatabaseSettings,
  layer: Layer.Layer<A, postgres.MigrationFailed | postgres.OtherSchema, SqlClient.SqlClient>
) => {
  const refuse = unusable("DATABASE_URL")
  const reached = Layer.effectDiscard(Effect.mapError(Effect.scoped(reachPostgres(database.url)), refuse))
  return layer.pipe(
    Layer.provide(postgres.layerMigrations),
    Layer.provide(postgres.layerClient(database)),
    Layer.catch((error) =>
      Layer.effectContext(Effect.fail(refuse(postgresFault(error, databaseAddress(database.url)))))
    ),
    Layer.provide(reached)
  )
}
