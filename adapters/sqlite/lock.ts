import { Effect } from "effect"
import type { Scope } from "effect"
import { DatabaseSync } from "node:sqlite"
import { isOfKind } from "./errorCodes.ts"
import { DatabaseInUse } from "./errors.ts"
import type { DatabaseFileUnusable } from "./errors.ts"
import { unusable } from "./faults.ts"

const take = (path: string): DatabaseSync => {
  const file = new DatabaseSync(path)
  try {
    file.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    return file
  } catch (cause) {
    file.close()
    throw cause
  }
}

/**
 * Holds a database file until the scope closes or the process ends, however it ends. Whoever else asks for it meanwhile, in
 * this process too, gets `DatabaseInUse`.
 *
 * The lock is the operating system's on the file `<database>.lock`, taken by way of SQLite; so the folder has to be on a
 * local disk. The database itself stays open to readers, such as a backup. Nothing else may open the file of the lock: to
 * close it anywhere in this process would end the lock.
 */
export const lock = (database: string): Effect.Effect<void, DatabaseInUse | DatabaseFileUnusable, Scope.Scope> =>
  Effect.asVoid(
    Effect.acquireRelease(
      Effect.try({
        try: () => take(`${database}.lock`),
        catch: (cause) => (isOfKind("busy")(cause) ? new DatabaseInUse({ file: database }) : unusable(database, cause))
      }),
      (file) => Effect.sync(() => file.close())
    )
  )
