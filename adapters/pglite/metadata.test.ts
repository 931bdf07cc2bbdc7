import { Layer } from "effect"
import { metadataSuite } from "../kit/metadata.ts"
import { layer as layerMetadata, layerMigrations } from "../postgres/index.ts"
import { layer as layerPglite } from "./index.ts"

metadataSuite("PGlite", layerMetadata.pipe(Layer.provideMerge(layerMigrations), Layer.provide(layerPglite())))
