import { objectStoreSuite } from "../kit/objectStore.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { layerObjects } from "./index.ts"

objectStoreSuite("memory", loopback(layerObjects), {
  urlsServedByHost: true,
  listsContentType: true,
  reportsContentHash: true
})
