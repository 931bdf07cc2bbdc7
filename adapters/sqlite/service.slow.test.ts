import { Layer } from "effect"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { serviceSuite } from "../kit/service.ts"
import { layerObjects } from "../memory/index.ts"
import { layerEmptyMetadata, layerFile } from "./testing/newFile.ts"

serviceSuite("SQLite", { shared: layerFile, each: Layer.merge(layerEmptyMetadata, loopback(layerObjects)) })
