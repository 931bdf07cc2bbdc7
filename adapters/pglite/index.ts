/**
 * PostgreSQL inside the process, for `adapters/postgres` to run its statements on: PGlite behind the wire protocol of
 * the usual client.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { streams } from "./duplex.ts"
import { lock } from "./lock.ts"
import { openFolder, openInMemory } from "./open.ts"

export { DataFolderInUse, DataFolderUnusable } from "./errors.ts"
export { lock } from "./lock.ts"

/**
 * A client of one session over a PGlite: in `dataDir`, which is created if it isn't there and held under a lock of its
 * own, or in memory without one.
 *
 * What was committed is still there when the process is killed. It is not forced to the disk, so a machine that loses
 * power may lose it.
 */
export const layer = (options: { readonly dataDir?: string } = {}) =>
  PgClient.layerFrom(
    Effect.gen(function* () {
      if (options.dataDir !== undefined) yield* lock(options.dataDir)
      const db = yield* options.dataDir === undefined ? openInMemory : openFolder(options.dataDir)
      return yield* PgClient.makeClient({ stream: streams(db), ssl: false, username: "postgres", database: "postgres" })
    })
  )
