import { PGlite } from "@electric-sql/pglite"
import { dataDir as emptyDatabase } from "@electric-sql/pglite-prepopulatedfs"
import { Effect } from "effect"
import { existsSync, renameSync, rmSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { gunzip } from "node:zlib"
import { DataFolderUnusable } from "./errors.ts"
import { unpack } from "./unpack.ts"

/**
 * Lays an empty database into the folder if there is none. It gets its name when it is complete, so one that was left
 * half-way is not taken for a database, and is replaced.
 */
const ensureDatabase = async (folder: string): Promise<string> => {
  const database = join(folder, "postgres")
  if (!existsSync(database)) {
    const unfinished = `${database}.unfinished`
    rmSync(unfinished, { recursive: true, force: true })
    const archive = await (await emptyDatabase()).arrayBuffer()
    unpack(await promisify(gunzip)(archive), unfinished)
    renameSync(unfinished, database)
  }
  return database
}

const opened = (acquire: Effect.Effect<PGlite, DataFolderUnusable>) =>
  Effect.acquireRelease(acquire, (db) => Effect.promise(() => db.close()))

/** A PGlite in memory, empty, closed with the scope. */
export const openInMemory = opened(Effect.promise(async () => PGlite.create({ loadDataDir: await emptyDatabase() })))

/** The PGlite of a data folder that the caller holds the lock of, closed with the scope. */
export const openFolder = (dataFolder: string) =>
  opened(
    Effect.suspend(() => {
      const folder = resolve(dataFolder)
      return Effect.tryPromise({
        try: async () => PGlite.create({ dataDir: await ensureDatabase(folder) }),
        catch: (cause) => new DataFolderUnusable({ folder, cause })
      })
    })
  )
