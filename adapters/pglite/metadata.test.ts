import { Layer } from "effect"
import { metadataSuite } from "../kit/metadata.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { serviceSuite } from "../kit/service.ts"
import { layerObjects } from "../memory/index.ts"
import { layerMigrations } from "../postgres/index.ts"
import { layerEmptyMetadata } from "../postgres/testing/emptied.ts"
import { layer as layerPglite } from "./index.ts"

const shared = layerMigrations.pipe(Layer.provideMerge(layerPglite()))

metadataSuite("PGlite", { shared, each: layerEmptyMetadata })

serviceSuite("PGlite", { shared, each: Layer.merge(layerEmptyMetadata, loopback(layerObjects)) })
