import { Effect, Result, type Scope } from "effect"
import { steps } from "../../../../adapters/postgres/index.ts"
import type { DatabaseSettings } from "../../settings/engineSettings.ts"
import type { Checked } from "../parts/Checked.ts"
import { fine, wrong } from "../parts/Finding.ts"
import { postgresFault } from "../../engineErrors/postgresFault.ts"
import { permissionsFinding } from "./permissions.ts"
import { databaseAddress } from "../../engineErrors/databaseAddress.ts"
import { reachPostgres } from "../../engineErrors/reachPostgres.ts"
import { schemaFinding, usedWhenNewer } from "../parts/schema.ts"
import { stepsDone } from "./schema.ts"

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
