import { Effect } from "effect"
import { closeSync, openSync } from "node:fs"
import { dirname } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { makeFolder } from "../folders/makeFolder.ts"
import { unusable } from "./openFailure.ts"

/**
 * Each commit is forced to the disk. References are enforced. Temporary results stay in memory, so a full disk is
 * noticed only when something is stored.
 */
const pragmas = "PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY"

const open = (file: string): DatabaseSync => {
  const db = new DatabaseSync(file, { timeout: 0 })
  try {
    const [mode] = db.prepare("PRAGMA journal_mode = WAL").all()
    if (mode?.["journal_mode"] !== "wal") throw new Error("it has no write-ahead log, which wants shared memory")
    db.exec(pragmas)
    return db
  } catch (cause) {
    db.close()
    throw cause
  }
}

const openedBy = (file: string, make: (file: string) => DatabaseSync) =>
  Effect.acquireRelease(Effect.try({ try: () => make(file), catch: (cause) => unusable(file, cause) }), (db) =>
    Effect.sync(() => db.close())
  )

/**
 * Makes the folder and the file, if they are missing, with rights for their owner only. SQLite gives its log the same
 * rights.
 */
export const makeFile = (file: string) =>
  Effect.try({
    try: () => {
      makeFolder(dirname(file))
      closeSync(openSync(file, "a", 0o600))
    },
    catch: (cause) => unusable(file, cause)
  })

/** Opens a database file for its one writer until the scope closes. */
export const openDatabase = (file: string) => openedBy(file, open)

/** Opens a database file for a reader until the scope closes. */
export const openToRead = (file: string) => openedBy(file, (file) => new DatabaseSync(file, { readOnly: true }))
