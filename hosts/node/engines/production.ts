import { Effect, Layer } from "effect"
import * as postgres from "../../../adapters/postgres/index.ts"
import type { Fault } from "../faults/Fault.ts"
import { postgresFault } from "../faults/postgresFault.ts"
import { databaseAddress } from "../faults/databaseAddress.ts"
import { reachPostgres } from "../faults/reachPostgres.ts"
import type { DatabaseSettings, S3Settings } from "../settings/engineSettings.ts"
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
    Layer.catch((error) =>
      Layer.effectContext(Effect.fail(refuse(postgresFault(error, databaseAddress(database.url)))))
    ),
    Layer.provide(reached)
  )
}

/** PostgreSQL, on a server. */
export const postgresMetadata = (database: DatabaseSettings) =>
  ({ name: "PostgreSQL", ports: layerPostgresMetadata(database) }) satisfies MetadataEngine<unknown>

/**
 * S3, on a server that serves the presigned URLs itself. A bucket that can't be used is `EngineUnusable`, once at the
 * start. The AWS SDK is loaded only where a bucket is opened.
 */
export const s3Objects = (settings: S3Settings) =>
  ({
    name: "S3",
    ports: Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("./bucket.ts")),
        ({ layerBucket }) => layerBucket(settings, unusable("SLIPWAY_S3_BUCKET"))
      )
    ),
    routes: Layer.empty
  }) satisfies ObjectsEngine<unknown>
