import { Effect, Result, type Scope } from "effect"
import { steps } from "../../../../adapters/postgres/index.ts"
import type { SqlClient, SqlError } from "effect/sql"
import { codeOf } from "../../engineErrors/networkFault.ts"
import { unusable } from "../../engines/engines.ts"
import type { DatabaseSettings } from "../../settings/engineSettings.ts"
import { fine, wrong, type Checked } from "../parts/Finding.ts"
import { postgresFault } from "../../engineErrors/postgresFault.ts"
import { permissionsFinding } from "./permissions.ts"
import { databaseAddress } from "../../engineErrors/databaseAddress.ts"
import { reachPostgres } from "../../engineErrors/reachPostgres.ts"
import { schemaFinding, usedWhenNewer, type Done } from "../parts/schema.ts"

const noTable = "42P01"

/** The migrations a database has run, in order; none if Slipway never ran on it. */
export const stepsDone = (sql: SqlClient.SqlClient): Effect.Effect<ReadonlyArray<Done>, SqlError.SqlError> =>
  sql<Done>`SELECT migration_id AS id, name FROM slipway_migrations ORDER BY migration_id`.pipe(
    Effect.catchIf(
      (error) => codeOf(error) === noTable,
      () => Effect.succeed([])
    )
  )

/** Checks the PostgreSQL at a URL: whether it can be reached, its schema, and the user's privileges. */
export const checkPostgres = Effect.fnUntraced(function* ({
  url
}: DatabaseSettings): Effect.fn.Return<Checked, never, Scope.Scope> {
  const place = databaseAddress(url)
  const reached = yield* Effect.result(reachPostgres(url))
  if (Result.isFailure(reached)) return { findings: [wrong("PostgreSQL", reached.failure)] }
  const { aheadMillis, roundTripMillis, sql, version } = reached.success

  const { database, server, user } = place
  const trip = `${roundTripMillis.toFixed(1)} ms a round trip`
  const there = fine("PostgreSQL", `${version} at ${server}, database ${database}, user ${user}; ${trip}`)
  const done = yield* Effect.result(stepsDone(sql))
  const rest = Result.isFailure(done)
    ? [wrong("PostgreSQL schema", postgresFault(done.failure, place))]
    : [
        schemaFinding("PostgreSQL schema", done.success, steps, usedWhenNewer),
        yield* permissionsFinding("PostgreSQL permissions", sql, place, done.success)
      ]
  return { findings: [there, ...rest], clock: { of: "PostgreSQL", aheadMillis, exactToMillis: roundTripMillis } }
}, Effect.scoped)

/** Refuses a PostgreSQL that lacks steps of this version, so that a command that only administers changes no schema. */
export const refuseUnmigrated = Effect.fnUntraced(function* ({ url }: DatabaseSettings) {
  const refuse = unusable("DATABASE_URL")
  const { sql } = yield* Effect.mapError(reachPostgres(url), refuse)
  const done = yield* Effect.result(stepsDone(sql))
  if (Result.isFailure(done)) return yield* refuse(postgresFault(done.failure, databaseAddress(url)))
  const missing = steps.find(({ id }) => !done.success.some((one) => one.id === id))
  if (missing === undefined) return
  return yield* done.success.length === 0
    ? refuse({
        detail: "the database has no tables of Slipway yet",
        hint: "`slipway serve` or `slipway account create` makes them"
      })
    : refuse({
        detail: `the database lacks the step ${missing.id} (${missing.name}) of this version`,
        hint: "start a host of this version, which migrates it"
      })
}, Effect.scoped)
