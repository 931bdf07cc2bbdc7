import { Effect, Layer } from "effect"
import { loadOptional } from "../../../adapters/packages/loadOptional.ts"
import { driver, sdk } from "../../../adapters/packages/optional.ts"
import type { DatabaseSettings, S3Settings } from "../settings/engineSettings.ts"
import { unusable, type MetadataEngine, type ObjectsEngine } from "./engines.ts"

// The drivers are large, so each is imported only if its server is named.

/** PostgreSQL, on a server: see `layerPostgresMetadata`. */
export const postgresMetadata = (database: DatabaseSettings) =>
  ({
    name: "PostgreSQL",
    ports: Layer.unwrap(
      Effect.map(
        loadOptional(driver, () => import("./postgres.ts")),
        ({ layerPostgresMetadata }) => layerPostgresMetadata(database)
      )
    )
  }) satisfies MetadataEngine<unknown>

/**
 * S3, on a server that serves the presigned URLs itself. A bucket that can't be used is `EngineUnusable`, once at the
 * start.
 */
export const s3Objects = (settings: S3Settings) =>
  ({
    name: "S3",
    ports: Layer.unwrap(
      Effect.map(
        loadOptional(sdk, () => import("./bucket.ts")),
        ({ layerBucket }) => layerBucket(settings, unusable("SLIPWAY_S3_BUCKET"))
      )
    ),
    routes: Layer.empty
  }) satisfies ObjectsEngine<unknown>
