import { Effect, Result } from "effect"
import { steps } from "../../../../adapters/postgres/index.ts"
import { unusable } from "../../engines/engines.ts"
import { databaseAddress } from "../../engineErrors/databaseAddress.ts"
import { postgresFault } from "../../engineErrors/postgresFault.ts"
import { reachPostgres } from "../../engineErrors/reachPostgres.ts"
import type { DatabaseSettings } from "../../settings/engineSettings.ts"
import { stepsDone } from "./schema.ts"

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
