import { Layer } from "effect"
import { metadataSuite } from "../kit/metadata.ts"
import { metadataSnapshotSuite } from "../kit/metadataSnapshot.ts"
import { layer, layerSource, layerTarget } from "./index.ts"
import { layerEmptyMetadata, layerPool } from "./testing/emptied.ts"

metadataSuite("PostgreSQL", { shared: layerPool, each: layerEmptyMetadata, another: layer })
metadataSnapshotSuite("PostgreSQL", {
  shared: layerPool,
  each: Layer.provideMerge(Layer.mergeAll(layerSource, layerTarget), layerEmptyMetadata)
})
