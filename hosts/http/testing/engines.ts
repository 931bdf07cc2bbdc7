import * as memory from "../../../adapters/memory/index.ts"
import type { Engines } from "../../node/engines.ts"

/** The engines on which every interface test runs. */
export const testEngines: ReadonlyArray<Engines<unknown>> = [
  { metadata: "memory", objects: "memory", ports: memory.layer, routes: memory.routes }
]
