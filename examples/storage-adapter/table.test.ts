import { Effect } from "effect"
import { keyValueSuite } from "slipway/adapters/kit"
import { openTable } from "./table.ts"

// Each case gets a new store, which is closed afterwards.
const open = Effect.acquireRelease(
  Effect.sync(() => openTable(":memory:")),
  (table) => Effect.sync(() => table.close())
)
keyValueSuite(
  "my table",
  Effect.map(open, (store) => ({ store }))
)
