import { Layer } from "effect"
import { metadataSuite } from "../kit/metadata.ts"
import { metadataSnapshotSuite } from "../kit/metadataSnapshot.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { serviceSuite } from "../kit/service.ts"
import { layerObjects } from "../memory/index.ts"
import { layer } from "./index.ts"
import { layerBoth } from "./testing/both.ts"
import { layerEmptyMetadata, layerFile } from "./testing/emptied.ts"

metadataSuite("SQLite", { shared: layerFile, each: layerEmptyMetadata, another: layer })

metadataSnapshotSuite("SQLite", layerBoth)
serviceSuite("SQLite", { shared: layerFile, each: Layer.merge(layerEmptyMetadata, loopback(layerObjects)) })
