import { Layer } from "effect"
import * as embedded from "../../../adapters/embedded/index.ts"
import { filesIn } from "../settings/dataFolder.ts"
import type { EngineSettings } from "../settings/engineSettings.ts"
import type { Engines, MetadataEngine, ObjectsEngine } from "./engines.ts"
import { postgresMetadata, s3Objects } from "./production.ts"
import { type DataLocation, layerEmbeddedMetadata } from "./sqlite.ts"

/** SQLite, in a file that no other process may use at the same time. */
export const embeddedMetadata = (place: DataLocation) =>
  ({ name: "SQLite", ports: layerEmbeddedMetadata(place) }) satisfies MetadataEngine<unknown>

/**
 * Files in a data folder. They are not locked: hosts on one machine that share a PostgreSQL may share the files too.
 */
export const embeddedObjects = (data: string, sendfile = false) =>
  ({
    name: "filesystem",
    ...embedded.objects(filesIn({ data, sendfile }))
  }) satisfies ObjectsEngine<unknown>

/** Engines that need no set-up: SQLite and files in one data folder, which only one process may use. */
export const embeddedEngines = (data: string) => {
  const [metadata, objects] = [embeddedMetadata({ data, file: undefined }), embeddedObjects(data)]
  return {
    metadata: metadata.name,
    objects: objects.name,
    ports: Layer.mergeAll(metadata.ports, objects.ports),
    routes: objects.routes
  } satisfies Engines<unknown>
}

/** The engines that the settings name: PostgreSQL and S3 if they are set, else the embedded ones. */
export const chooseEngines = ({ data, database, file, s3, sendfile }: EngineSettings & { readonly data: string }) => {
  const metadata = database === undefined ? embeddedMetadata({ data, file }) : postgresMetadata(database)
  const objects = s3 === undefined ? embeddedObjects(data, sendfile) : s3Objects(s3)
  return {
    metadata: metadata.name,
    objects: objects.name,
    ports: Layer.mergeAll(metadata.ports, objects.ports),
    routes: objects.routes
  } satisfies Engines<unknown>
}
