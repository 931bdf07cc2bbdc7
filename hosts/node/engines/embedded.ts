import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as embedded from "../../../adapters/embedded/index.ts"
import { dataFolder } from "../settings/dataFolder.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { EngineUnusable, type Engines, type MetadataEngine, type ObjectsEngine } from "./engines.ts"

/** Where the metadata is stored: in a data folder, or in a file of any name. */
export type DataLocation = Pick<ProcessSettings, "data" | "file">

/** The path of the SQLite file. */
export const metadataFile = ({ data, file }: DataLocation): string =>
  file === undefined ? dataFolder(data).metadata : resolve(file)

/** Refuses a place without a database, where nothing is to be made: a mistyped folder would look like an empty deployment. */
export const refuseMissing = (place: DataLocation) =>
  Effect.suspend(() =>
    existsSync(metadataFile(place))
      ? Effect.void
      : Effect.fail(
          new EngineUnusable({
            setting: place.file === undefined ? "SLIPWAY_DATA" : "DATABASE_URL",
            detail: `there is no database ${metadataFile(place)}`,
            hint: "name the database of an existing deployment"
          })
        )
  )

/** The metadata ports on a SQLite file, migrated to this version's schema. The file is locked while they are open. */
export const layerEmbeddedMetadata = (place: DataLocation) => embedded.layerMetadata({ file: metadataFile(place) })

/** SQLite, in a file that no other process may use at the same time. */
export const embeddedMetadata = (place: DataLocation) =>
  ({ name: "SQLite", ports: layerEmbeddedMetadata(place) }) satisfies MetadataEngine<unknown>

/**
 * Files in a data folder. They are not locked: hosts on one machine that share a PostgreSQL may share the files too.
 */
export const embeddedObjects = (data: string) =>
  ({
    name: "filesystem",
    ...embedded.objects({ directory: dataFolder(data).objects })
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
