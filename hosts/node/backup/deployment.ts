/**
 * The stores of a deployment that is moved, opened to be read or to be filled. This needs no host; one may run on the
 * stores that are read.
 */
import { Effect, Layer, Redacted } from "effect"
import * as filesystem from "../../../adapters/filesystem/index.ts"
import { SignedUrls } from "../../../adapters/signed-urls/SignedUrls.ts"
import * as sqlite from "../../../adapters/sqlite/index.ts"
import { metadataFile, refuseMissing } from "../engines/sqlite.ts"
import type { DatabaseSettings, EngineSettings } from "../settings/engineSettings.ts"
import { dataFolder } from "../settings/dataFolder.ts"
import { layerBySink } from "./ObjectWriter.ts"

/** The settings that name the stores of a deployment. */
export type DeploymentSettings = EngineSettings & { readonly data: string }

const onServer = (database: DatabaseSettings) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../engines/postgres.ts")),
      ({ layerPostgresSnapshot }) => layerPostgresSnapshot(database)
    )
  )

/** A signed URL is never used here, so the deployment's secret is not needed. */
const signing = SignedUrls.layer({ secret: Redacted.make(crypto.randomUUID()), baseUrl: "http://localhost" })

const objects = ({ data, s3 }: DeploymentSettings) =>
  s3 === undefined
    ? layerBySink.pipe(
        Layer.provideMerge(filesystem.layer({ directory: dataFolder(data).objects })),
        Layer.provide(signing)
      )
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => Promise.all([import("../engines/bucket.ts"), import("./writerByUrl.ts")])),
          ([{ layerBucket }, { layerByUrl }]) => Layer.provideMerge(layerByUrl, layerBucket(s3))
        )
      )

/** The stores of a deployment, to be read. */
export const layerToRead = (settings: DeploymentSettings) => {
  const file = metadataFile(settings)
  const embedded = Layer.unwrap(Effect.as(refuseMissing(settings), sqlite.layerSource({ file })))
  const metadata = settings.database === undefined ? embedded : onServer(settings.database)
  return Layer.mergeAll(metadata, objects(settings))
}

/** The stores of a deployment, to be filled. They are created if missing, with this version's schema. */
export const layerToFill = (settings: DeploymentSettings) => {
  const file = metadataFile(settings)
  const embedded = Layer.mergeAll(sqlite.layerTarget, sqlite.layerSource({ file })).pipe(
    Layer.provide(sqlite.layerMigrations),
    Layer.provide(sqlite.layerClient({ file }))
  )
  const metadata = settings.database === undefined ? embedded : onServer(settings.database)
  return Layer.mergeAll(metadata, objects(settings))
}
