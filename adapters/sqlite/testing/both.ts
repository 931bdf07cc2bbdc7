import { Effect, Layer } from "effect"
import { layer, layerClient, layerMigrations, layerSource, layerTarget } from "../index.ts"
import { newFile } from "./newFile.ts"

/** A new database file at this version's schema: its ports, and both sides of a copy. */
export const layerBoth = Layer.unwrap(
  Effect.map(newFile, (file) =>
    Layer.mergeAll(layer, layerTarget, layerSource({ file })).pipe(
      Layer.provide(layerMigrations),
      Layer.provide(layerClient({ file }))
    )
  )
)
