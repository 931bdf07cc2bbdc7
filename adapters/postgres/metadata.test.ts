import { metadataSuite } from "../kit/metadata.ts"
import { layer } from "./index.ts"
import { layerEmptyMetadata, layerPool } from "./testing/emptied.ts"

metadataSuite("PostgreSQL", { shared: layerPool, each: layerEmptyMetadata, another: layer })
