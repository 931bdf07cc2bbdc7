import { Effect } from "effect"
import { resolve } from "node:path"
import { layerMetadata } from "../../../adapters/embedded/metadata.ts"
import { dataFolder, isPresent } from "../settings/dataFolder.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { EngineUnusable } from "./engines.ts"

/** Where the metadata is stored: in a data folder, or in a file of any name. */
export type DataLocation = Pick<ProcessSettings, "data" | "file">

/** The path of the SQLite file. */
export const metadataFile = ({ data, file }: DataLocation): string =>
  file === undefined ? dataFolder(data).metadata : resolve(file)

/** Refuses a place without a database, where nothing is to be made: a mistyped folder would look like an empty deployment. */
export const refuseMissing = (place: DataLocation) =>
  isPresent(metadataFile(place)).pipe(
    Effect.flatMap((present) =>
      present
        ? Effect.void
        : Effect.fail({
            detail: `there is no database ${metadataFile(place)}`,
            hint: "name the database of an existing deployment"
          })
    ),
    Effect.mapError(({ detail, hint }) => {
      const setting = place.file === undefined ? "SLIPWAY_DATA" : "DATABASE_URL"
      return new EngineUnusable({ setting, detail, hint })
    })
  )

/** The metadata ports on a SQLite file, migrated to this version's schema. The file is locked while they are open. */
export const layerEmbeddedMetadata = (place: DataLocation) => layerMetadata({ file: metadataFile(place) })
