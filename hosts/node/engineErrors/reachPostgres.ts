import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, type Redacted, type Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlError } from "effect/sql"
import type { Fault } from "./Fault.ts"
import { unreachedFault } from "./networkFault.ts"
import { postgresFault } from "./postgresFault.ts"
import { databaseAddress } from "./databaseAddress.ts"

/** A server that was reached. `aheadMillis` is how far its clock is ahead of this machine's. */
export interface Reached {
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
  const asked = yield* Clock.currentTimeMillis
  const [took, [row]] = yield* Effect.timed(
    sql<{
      readonly millis: number
    }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS millis`
  )
  const roundTripMillis = Duration.toMillis(took)
  return { roundTripMillis, aheadMillis: (row?.millis ?? 0) - asked - roundTripMillis / 2 }
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
