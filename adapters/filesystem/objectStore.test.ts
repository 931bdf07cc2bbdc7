import { objectStoreSuite } from "../kit/objectStore.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { checkedStore } from "./testing/store.ts"

objectStoreSuite("filesystem", loopback(checkedStore), {
  urlsServedByHost: true,
  listsContentType: true,
  reportsContentHash: true
})
