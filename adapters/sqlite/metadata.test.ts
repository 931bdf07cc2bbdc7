import { metadataSuite } from "../kit/metadata.ts"
import { metadataSnapshotSuite } from "../kit/metadataSnapshot.ts"
import { layer } from "./index.ts"
import { layerBoth } from "./testing/both.ts"
import { layerEmptyMetadata, layerFile } from "./testing/emptied.ts"

metadataSuite("SQLite", { shared: layerFile, each: layerEmptyMetadata, another: layer })

metadataSnapshotSuite("SQLite", layerBoth)
