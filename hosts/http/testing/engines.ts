import { Effect, Layer } from "effect"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as memory from "../../../adapters/memory/index.ts"
import { embeddedEngines } from "../../node/embedded.ts"
import type { Engines } from "../../node/engines.ts"

/** Everything in memory. */
const inMemory: Engines<unknown> = {
  metadata: "memory",
  objects: "memory",
  ports: memory.layer,
  routes: memory.routes
}

/** PGlite and files in a temporary folder, which goes when the engines are closed. */
const embedded = (): Engines<unknown> => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-test-"))
  const engines = embeddedEngines(folder)
  const removed = Layer.effectDiscard(
    Effect.addFinalizer(() => Effect.sync(() => rmSync(folder, { recursive: true, force: true })))
  )
  return { ...engines, ports: Layer.provideMerge(engines.ports, removed) }
}

/** The engines on which every interface test runs. Each call makes new ones. */
export const testEngines = (): ReadonlyArray<Engines<unknown>> => [inMemory, embedded()]
