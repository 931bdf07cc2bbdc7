import { Effect } from "effect"
import { keyValueSuite } from "../kit/keyValueStore.ts"
import { metadataSuite } from "../kit/metadata.ts"
import { layerMetadata } from "./index.ts"
import { keyValueStore } from "./keyValueStore.ts"

metadataSuite("memory", layerMetadata)
keyValueSuite(
  "in memory",
  Effect.sync(() => ({ store: keyValueStore() }))
)
