import { Layer } from "effect"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { serviceSuite } from "../kit/service.ts"
import { layerMetadata, layerObjects } from "./index.ts"

serviceSuite("memory", Layer.merge(layerMetadata, loopback(layerObjects)))
