import { Layer, Redacted } from "effect"
import { join } from "node:path"
import * as filesystem from "../../adapters/filesystem/index.ts"
import * as memory from "../../adapters/memory/index.ts"
import * as postgres from "../../adapters/postgres/index.ts"
import { startPostgres } from "../../adapters/postgres/testing/startPostgres.ts"
import type { ObjectSink } from "../../adapters/signed-urls/ObjectSink.ts"
import { routes } from "../../adapters/signed-urls/routes.ts"
import type { SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import type { Ports } from "../../core/layer.ts"
import { embeddedEngines } from "../node/engines/embedded.ts"
import type { Engines } from "../node/engines/engines.ts"

/** Engines whose objects are PUT to the host's own URLs, so that the bare handler can receive them too. */
export interface BenchEngines extends Engines<unknown> {
  readonly ports: Layer.Layer<Ports | ObjectSink, unknown, SignedUrls>
}

/** A set of engines, opened on its own folder; `close` ends what it started. */
export interface EngineSet {
  readonly open: (folder: string) => Promise<{ readonly engines: BenchEngines; readonly close: () => Promise<void> }>
}

const nothing = () => Promise.resolve()

/** The sets of engines that are measured, by their name in the table. */
export const engineSets: Readonly<Record<string, EngineSet>> = {
  memory: {
    open: () =>
      Promise.resolve({
        engines: { metadata: "memory", objects: "memory", ports: memory.layer, routes: memory.routes },
        close: nothing
      })
  },
  "SQLite + files": {
    open: (folder) => Promise.resolve({ engines: embeddedEngines(folder), close: nothing })
  },
  "PostgreSQL + files": {
    open: async (folder) => {
      const server = await startPostgres()
      const objects = filesystem.layer({ directory: join(folder, "objects") })
      const metadata = postgres.layer.pipe(
        Layer.provide(postgres.layerMigrations),
        Layer.provide(postgres.layerClient({ url: Redacted.make(server.url) }))
      )
      return {
        engines: {
          metadata: "PostgreSQL",
          objects: "filesystem",
          ports: Layer.mergeAll(metadata, objects),
          routes: routes.pipe(Layer.provide(objects))
        },
        close: server.remove
      }
    }
  }
}
