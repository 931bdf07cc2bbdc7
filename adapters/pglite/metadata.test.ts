import { Layer } from "effect"
import { metadataSuite } from "../kit/metadata.ts"
import { layerMigrations } from "../postgres/index.ts"
import { layerEmptyMetadata } from "../postgres/testing/emptied.ts"
import { layer as layerPglite } from "./index.ts"

metadataSuite("PGlite", { shared: layerMigrations.pipe(Layer.provideMerge(layerPglite())), each: layerEmptyMetadata })
