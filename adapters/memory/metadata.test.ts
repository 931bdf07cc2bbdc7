import { metadataSuite } from "../kit/metadata.ts"
import { layerMetadata } from "./index.ts"

metadataSuite("memory", layerMetadata)
