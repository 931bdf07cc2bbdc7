import { Effect, Layer } from "effect"
import { keyValueSuite, metadataSuite } from "slipway/adapters/kit"
import { layerMetadata } from "slipway/adapters/key-value"
import { openTable } from "./table.ts"

// Each case gets a new store, which is closed afterwards.
const open = Effect.acquireRelease(
  Effect.sync(() => openTable(":memory:")),
  (table) => Effect.sync(() => table.close())
)
keyValueSuite("my table", Effect.map(open, (store) => ({ store })))
metadataSuite("my table", Layer.unwrap(Effect.map(open, layerMetadata)))
