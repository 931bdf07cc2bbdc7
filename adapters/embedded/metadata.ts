import { Layer } from "effect"
import * as sqlite from "../sqlite/index.ts"

/** The metadata ports on a SQLite file, brought to this version's schema. The file is locked while they are open. */
export const layerMetadata = (options: { readonly file: string }) =>
  sqlite.layer.pipe(Layer.provide(sqlite.layerMigrations), Layer.provide(sqlite.layerClient(options)))
