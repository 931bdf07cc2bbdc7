import { Data, Effect, Layer, Redacted } from "effect"
import type { SqlError } from "effect/sql"
import { driver, loadOptional } from "../optionalPackages.ts"
import { sqlErrorMessage, sqlState } from "./failures.ts"

const placeOf = (secret: Redacted.Redacted): string => {
  const url = URL.parse(Redacted.value(secret))
  return url === null ? "" : ` at ${url.host}${url.pathname}`
}

/** The database can't be reached or refuses the connection; `cause` says why. The message holds no password. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{
  readonly url: Redacted.Redacted
  readonly cause: SqlError.SqlError
}> {
  override readonly message = `The database${placeOf(this.url)} (DATABASE_URL) can't be used: ${sqlErrorMessage(this.cause)}`
}

/**
 * Limits that are set in every session, so that a waiting statement or a vanished host can't block others for long.
 * They are longer than any statement takes, and shorter than the timeout in `failures.ts`. Migrations override them.
 */
const limits = {
  statement_timeout: "5s",
  lock_timeout: "3s",
  idle_in_transaction_session_timeout: "10s"
}

/** A pooler that doesn't support a setting reports it as a protocol violation at the start of the session. */
const isPooler = (error: SqlError.SqlError): boolean => sqlState(error) === "08P01"

/**
 * A pool of connections to a PostgreSQL server (`postgres://user:password@host:port/database`, with `sslmode` as libpq
 * has it), at most `maxConnections` of them, ten unless given.
 *
 * Statements outside of transactions share connections, up to eight on one, and are sent without waiting for earlier
 * answers; a transaction has its own connection. A connection is closed after a minute, so one to a server that
 * vanished or became read-only in a failover is soon replaced. A broken one is replaced at once.
 *
 * It connects once before it is ready and fails with `DatabaseUnusable` when that fails. Later outages of the server
 * don't end it.
 */
export const layerClient = (options: {
  readonly url: Redacted.Redacted
  readonly maxConnections?: number | undefined
}) => {
  const { maxConnections, url } = options
  const clientOf = ({ PgClient }: typeof import("@effect/sql-pg")) => {
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
  return Layer.unwrap(
    Effect.map(
      loadOptional(driver, () => import("@effect/sql-pg")),
      clientOf
    )
  )
}
