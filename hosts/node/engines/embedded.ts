import { Effect, Layer } from "effect"
import * as filesystem from "../../../adapters/filesystem/index.ts"
import * as postgres from "../../../adapters/postgres/index.ts"
import { routes } from "../../../adapters/signed-urls/routes.ts"
import { dataFolder } from "../settings/dataFolder.ts"
import type { Engines, MetadataEngine, ObjectsEngine } from "./engines.ts"

// It is large, and loaded only where it is opened.
const layerPglite = (dataDir: string) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("../../../adapters/pglite/index.ts")),
      (pglite) => pglite.layer({ dataDir })
    )
  )

/** The metadata ports on the PGlite of a data folder, at the newest schema. The folder is locked while they are open. */
export const layerEmbeddedMetadata = (data: string) =>
  postgres.layer.pipe(Layer.provide(postgres.layerMigrations), Layer.provide(layerPglite(dataFolder(data).root)))

/** PGlite in a data folder, which it keeps for itself. */
export const embeddedMetadata = (data: string) =>
  ({ name: "PGlite", ports: layerEmbeddedMetadata(data) }) satisfies MetadataEngine<unknown>

/** Files in a data folder. They take no lock: hosts of one machine that share a PostgreSQL may share them too. */
export const embeddedObjects = (data: string) => {
  const ports = filesystem.layer({ directory: dataFolder(data).objects })
  return {
    name: "filesystem",
    ports,
    routes: routes.pipe(Layer.provide(ports))
  } satisfies ObjectsEngine<unknown>
}

/** Engines that need no set-up: PGlite and files, both in one data folder, which they keep for themselves. */
export const embeddedEngines = (data: string) => {
  const [metadata, objects] = [embeddedMetadata(data), embeddedObjects(data)]
  return {
    metadata: metadata.name,
    objects: objects.name,
    ports: Layer.mergeAll(metadata.ports, objects.ports),
    routes: objects.routes
  } satisfies Engines<unknown>
}
