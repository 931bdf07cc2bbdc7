import { Layer } from "effect"
import * as filesystem from "../../adapters/filesystem/index.ts"
import * as pglite from "../../adapters/pglite/index.ts"
import * as postgres from "../../adapters/postgres/index.ts"
import { routes } from "../../adapters/signed-urls/routes.ts"
import { dataFolder } from "./dataFolder.ts"
import type { Engines } from "./engines.ts"

/** The metadata ports on the PGlite of a data folder, at the newest schema. The folder is locked while they are open. */
export const layerEmbeddedMetadata = (data: string) =>
  postgres.layer.pipe(
    Layer.provide(postgres.layerMigrations),
    Layer.provide(pglite.layer({ dataDir: dataFolder(data).root }))
  )

/** Engines that need no set-up: PGlite and files, both in one data folder, which they keep for themselves. */
export const embeddedEngines = (data: string) => {
  const objects = filesystem.layer({ directory: dataFolder(data).objects })
  return {
    metadata: "PGlite",
    objects: "filesystem",
    ports: Layer.mergeAll(layerEmbeddedMetadata(data), objects),
    routes: routes.pipe(Layer.provide(objects))
  } satisfies Engines<unknown>
}
