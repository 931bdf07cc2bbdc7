import { Effect, Layer } from "effect"
import * as s3 from "../../../adapters/s3/index.ts"
import { driver, loadOptional, sdk } from "../../../adapters/optionalPackages.ts"
import type { DatabaseSettings, S3Settings } from "../settings/engineSettings.ts"
import type { MetadataEngine, ObjectsEngine } from "./engines.ts"

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

const bucket = loadOptional(sdk, () => import("./s3.ts"))

/**
 * S3. Clients PUT to the bucket itself, or to the host, by `uploads` of the settings. A bucket that can't be used, or that isn't safe for
 * uploads of clients, is `EngineUnusable`, once at the start.
 */
export const s3Objects = (settings: S3Settings) => {
  const served = settings.uploads === "host" ? s3.servedObjects(settings) : undefined
  const check = Effect.flatMap(bucket, ({ reached, safeForUploads }) =>
    served === undefined ? safeForUploads(settings) : reached(settings)
  )
  const direct = Layer.unwrap(Effect.map(bucket, ({ layerDirect }) => layerDirect(settings)))
  return {
    name: "S3",
    // The check opens a client with the same options.
    ports: Layer.orDie(served?.ports ?? direct).pipe(Layer.provide(Layer.effectDiscard(check))),
    routes: served === undefined ? Layer.empty : Layer.orDie(served.routes)
  } satisfies ObjectsEngine<unknown>
}

/** The object store on a bucket, for commands that give no client a URL. */
export const s3ForCommands = (settings: S3Settings) =>
  Layer.unwrap(Effect.map(bucket, ({ layerBucket }) => layerBucket(settings)))
