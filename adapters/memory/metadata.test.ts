import { Effect } from "effect"
import { keyValueSuite } from "../kit/keyValueStore.ts"
import { keyValueStore } from "./keyValueStore.ts"

keyValueSuite(
  "memory",
  Effect.sync(() => ({ store: keyValueStore() }))
)
