import { Effect, Layer } from "effect"
import { existsSync } from "node:fs"
import { resolve } from "node:path"
import * as filesystem from "../../../adapters/filesystem/index.ts"
import { routes } from "../../../adapters/signed-urls/routes.ts"
import * as sqlite from "../../../adapters/sqlite/index.ts"
import { dataFolder } from "../settings/dataFolder.ts"
import type { ProcessSettings } from "../settings/settings.ts"
import { EngineUnusable } from "./engines.ts"
import type { Engines, MetadataEngine, ObjectsEngine } from "./engines.ts"

/** Where the metadata lies: a data folder, or a file that is named by itself. */
export type Place = Pick<ProcessSettings, "data" | "file">

/** The SQLite file of a place. */
export const metadataFile = ({ data, file }: Place): string =>
  file === undefined ? dataFolder(data).metadata : resolve(file)

/** Refuses the folder of a version that kept its metadata in another engine, rather than begin a new database beside it. */
export const refusePglite = ({ data, file }: Place) => {
  const { metadata, pglite, root } = dataFolder(data)
  return Effect.suspend(() =>
    file === undefined && existsSync(pglite) && !existsSync(metadata)
      ? Effect.fail(
          new EngineUnusable({
            setting: "SLIPWAY_DATA",
            detail: `${root} holds a database of an earlier Slipway (PGlite), which this version can't read`,
            mend: `name another folder; or move ${pglite} away, to begin anew here`
          })
        )
      : Effect.void
  )
}

/** The metadata ports on a SQLite file, at the newest schema. The file is held under a lock while they are open. */
export const layerEmbeddedMetadata = (place: Place) =>
  sqlite.layer.pipe(
    Layer.provide(sqlite.layerMigrations),
    Layer.provide(sqlite.layerClient({ file: metadataFile(place) })),
    Layer.provide(Layer.effectDiscard(refusePglite(place)))
  )

/** SQLite, in a file that it keeps for itself. */
export const embeddedMetadata = (place: Place) =>
  ({ name: "SQLite", ports: layerEmbeddedMetadata(place) }) satisfies MetadataEngine<unknown>

/** Files in a data folder. They take no lock: hosts of one machine that share a PostgreSQL may share them too. */
export const embeddedObjects = (data: string) => {
  const ports = filesystem.layer({ directory: dataFolder(data).objects })
  return {
    name: "filesystem",
    ports,
    routes: routes.pipe(Layer.provide(ports))
  } satisfies ObjectsEngine<unknown>
}

/** Engines that need no set-up: SQLite and files, both in one data folder, which they keep for themselves. */
export const embeddedEngines = (data: string) => {
  const [metadata, objects] = [embeddedMetadata({ data, file: undefined }), embeddedObjects(data)]
  return {
    metadata: metadata.name,
    objects: objects.name,
    ports: Layer.mergeAll(metadata.ports, objects.ports),
    routes: objects.routes
  } satisfies Engines<unknown>
}
