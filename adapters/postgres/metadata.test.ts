import { metadataSuite } from "../kit/metadata.ts"
import { layerEmptyMetadata, layerPool } from "./testing/emptied.ts"

metadataSuite("PostgreSQL", { shared: layerPool, each: layerEmptyMetadata })
