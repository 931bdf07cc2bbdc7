import { Layer } from "effect"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { serviceSuite } from "../kit/service.ts"
import { layerObjects } from "../memory/index.ts"
import { layerEmptyMetadata, layerPool } from "./testing/emptied.ts"

serviceSuite("PostgreSQL", { shared: layerPool, each: Layer.merge(layerEmptyMetadata, loopback(layerObjects)) })
