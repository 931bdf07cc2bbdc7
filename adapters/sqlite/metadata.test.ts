import { metadataSuite } from "../kit/metadata.ts"
import { metadataSnapshotSuite } from "../kit/metadataSnapshot.ts"
import { layer } from "./index.ts"
import { layerBoth, layerEmptyMetadata, layerFile } from "./testing/newFile.ts"

metadataSuite("SQLite", { shared: layerFile, each: layerEmptyMetadata, another: layer })

metadataSnapshotSuite("SQLite", layerBoth)
