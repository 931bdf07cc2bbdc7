import { PgClient } from "@effect/sql-pg"
import { Data, Effect, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { sqlState, sqlErrorMessage } from "./sqlErrors.ts"

/** The database can't be reached, or doesn't let us in; `cause` says why. The message holds no password. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{
  readonly url: Redacted.Redacted
  readonly cause: SqlError.SqlError
}> {
  override get message() {
    const url = URL.parse(Redacted.value(this.url))
    const place = url === null ? "" : ` at ${url.host}${url.pathname}`
    return `The database${place} (DATABASE_URL) can't be used: ${sqlErrorMessage(this.cause)}`
  }
}

/**
 * What every session is told, so that a statement that waits or a host that vanishes holds up nobody for long. They are
 * above what any statement takes, and below the patience of `unavailable.ts`. Migrations set them aside.
 */
const limits = {
  statement_timeout: "5s",
  lock_timeout: "3s",
  idle_in_transaction_session_timeout: "10s"
}

/** A pooler in between that doesn't know a setting says that the start of the session breaks the protocol. */
const isPooler = (error: SqlError.SqlError): boolean => sqlState(error) === "08P01"

/**
 * A pool of connections to a PostgreSQL server (`postgres://user:password@host:port/database`, with `sslmode` as libpq
 * has it), at most `maxConnections` of them, ten unless given.
 *
 * Statements outside of transactions share connections, up to eight on one, and go out without waiting for each other's
 * answers; a transaction has one for itself. A connection is closed after a minute: so one to a server that vanished
 * without a word, or that a failover has made read-only, is soon replaced. One that breaks is replaced at once.
 *
 * Connects once before it is ready: `DatabaseUnusable` when that fails. After that no server that is away ends it.
 */
export const layerClient = (options: {
  readonly url: Redacted.Redacted
  readonly maxConnections?: number | undefined
}) => {
  const { maxConnections, url } = options
  const open = (startupParameters: Readonly<Record<string, string>>) =>
    PgClient.make({
      url,
      maxConnections,
      applicationName: URL.parse(Redacted.value(url))?.searchParams.get("application_name") ?? "slipway",
      startupParameters,
      multiplex: true,
      multiplexConcurrency: 8,
      keepAlive: "30 seconds",
      connectionTTL: "1 minute"
    }).pipe(Effect.tap((sql) => sql`SELECT 1`))
  return PgClient.layerFrom(
    open(limits).pipe(
      Effect.catchIf(isPooler, (error) =>
        Effect.andThen(
          Effect.logWarning(`The server takes no limits of time from its clients: ${sqlErrorMessage(error)}`),
          open({})
        )
      ),
      Effect.mapError((cause) => new DatabaseUnusable({ url, cause }))
    )
  )
}
