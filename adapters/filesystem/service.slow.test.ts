import { Layer } from "effect"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { serviceSuite } from "../kit/service.ts"
import { layerMetadata } from "../memory/index.ts"
import { checkedStore } from "./testing/store.ts"

serviceSuite("filesystem", Layer.merge(layerMetadata, loopback(checkedStore())))
