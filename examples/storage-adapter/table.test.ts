import { Effect, Layer } from "effect"
import { metadataSuite } from "slipway/adapters/kit"
import { layerMetadata } from "slipway/adapters/key-value"
import { openTable } from "./table.ts"

// Each case gets a new store, which is closed afterwards.
const open = Effect.acquireRelease(
  Effect.sync(() => openTable(":memory:")),
  (table) => Effect.sync(() => table.close())
)
metadataSuite("my table", Layer.unwrap(Effect.map(open, layerMetadata)))
