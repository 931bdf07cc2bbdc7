import { Effect, Layer } from "effect"
import * as postgres from "../../adapters/postgres/index.ts"
import * as s3 from "../../adapters/s3/index.ts"
import type { Fault } from "./doctor/Finding.ts"
import { postgresFault } from "./doctor/postgres/fault.ts"
import { placeOf } from "./doctor/postgres/place.ts"
import { reachPostgres } from "./doctor/postgres/reach.ts"
import { optionsFault, reachBucket } from "./doctor/s3/reach.ts"
import type { DatabaseSettings, S3Settings } from "./engineSettings.ts"
import { EngineUnusable } from "./engines.ts"
import type { MetadataEngine, ObjectsEngine } from "./engines.ts"

const unusable = (setting: string) => (fault: Fault) => new EngineUnusable({ setting, ...fault })

/**
 * The metadata ports on a PostgreSQL server, at the newest schema. Any number of hosts may use it at once. A server that
 * can't be used is `EngineUnusable`, once at the start; one that goes away later ends nothing.
 */
export const layerPostgresMetadata = (database: DatabaseSettings) => {
  const refuse = unusable("DATABASE_URL")
  const reached = Layer.effectDiscard(Effect.mapError(Effect.scoped(reachPostgres(database.url)), refuse))
  return postgres.layer.pipe(
    Layer.provide(postgres.layerMigrations),
    Layer.provide(postgres.layerClient(database)),
    Layer.catch((error) => Layer.effectContext(Effect.fail(refuse(postgresFault(error, placeOf(database.url)))))),
    Layer.provide(reached)
  )
}

/** PostgreSQL, on a server. */
export const postgresMetadata = (database: DatabaseSettings) =>
  ({ name: "PostgreSQL", ports: layerPostgresMetadata(database) }) satisfies MetadataEngine<unknown>

/**
 * S3, on a server that serves the presigned URLs itself. A bucket that can't be used is `EngineUnusable`, once at the
 * start.
 */
export const s3Objects = (settings: S3Settings) => {
  const refuse = unusable("SLIPWAY_S3_BUCKET")
  const reached = Layer.effectDiscard(Effect.mapError(reachBucket(settings), refuse))
  return {
    name: "S3",
    ports: Layer.catchTag(s3.layer(settings), "OptionsUnusable", (error) =>
      Layer.effectContext(Effect.fail(refuse(optionsFault(error))))
    ).pipe(Layer.provide(reached)),
    routes: Layer.empty
  } satisfies ObjectsEngine<unknown>
}
