import { Effect, Predicate } from "effect"
import type { Scope } from "effect"
import { mkdirSync } from "node:fs"
import { join, resolve } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { DataFolderInUse, DataFolderUnusable } from "./errors.ts"

const busy = 5

const isBusy = (cause: unknown): boolean => Predicate.hasProperty(cause, "errcode") && cause.errcode === busy

const take = (folder: string): DatabaseSync => {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const file = new DatabaseSync(join(folder, "lock"))
  try {
    file.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    return file
  } catch (cause) {
    file.close()
    throw cause
  }
}

/**
 * Holds a data folder, which is created (for its owner alone) if it isn't there, until the scope closes or the process
 * ends, however it ends. Whoever else asks for it meanwhile, in this process too, gets `DataFolderInUse`.
 *
 * The lock is the operating system's on the file `lock` in the folder, taken by way of SQLite; so the folder has to be
 * on a local disk. Nothing else may open that file: to close it anywhere in this process would end the lock.
 */
export const lock = (dataFolder: string): Effect.Effect<void, DataFolderInUse | DataFolderUnusable, Scope.Scope> => {
  const folder = resolve(dataFolder)
  return Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => take(folder),
        catch: (cause) => (isBusy(cause) ? new DataFolderInUse({ folder }) : new DataFolderUnusable({ folder, cause }))
      }),
      (file) => Effect.sync(() => file.close())
    )
  )
}
