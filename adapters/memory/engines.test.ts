import { Effect, Layer } from "effect"
import { keyValueSuite } from "../kit/keyValueStore.ts"
import { keyValueStore } from "./keyValueStore.ts"
import { objectStoreSuite } from "../kit/objectStore.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { layerMetadata, layerObjects } from "./index.ts"
import { serviceSuite } from "../kit/service.ts"

keyValueSuite(
  "memory",
  Effect.sync(() => ({ store: keyValueStore() }))
)

objectStoreSuite("memory", loopback(layerObjects), {
  urlsServedByHost: true,
  listsContentType: true,
  reportsContentHash: true
})

serviceSuite("memory", Layer.merge(layerMetadata, loopback(layerObjects)))
