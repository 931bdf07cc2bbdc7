import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import * as postgres from "../../../adapters/postgres/index.ts"
import { databaseAddress } from "../engineErrors/databaseAddress.ts"
import { postgresFault } from "../engineErrors/postgresFault.ts"
import { reachPostgres } from "../engineErrors/reachPostgres.ts"
import type { DatabaseSettings } from "../settings/engineSettings.ts"
import { unusable } from "./engines.ts"

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
