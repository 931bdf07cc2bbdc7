import { Effect, type Scope } from "effect"
import { chmodSync, closeSync, openSync, rmSync, statSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { HandOver } from "../../core/ports/HandOver.ts"
import { isOfKind } from "./errorCodes.ts"
import { DatabaseFileUnusable, DatabaseInUse } from "./errors.ts"
import { unusable } from "./openFailure.ts"

/** Makes a lock file that only its owner can open. One that is there is not opened, since closing it would end a lock. */
const makeLockFile = (path: string): void => {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) closeSync(openSync(path, "a", 0o600))
  else if (found.uid === process.getuid?.()) chmodSync(path, 0o600)
}

const acquireLock = (path: string, timeoutMs: number): DatabaseSync => {
  makeLockFile(path)
  const file = new DatabaseSync(path, { timeout: timeoutMs })
  try {
    file.exec("PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE")
    return file
  } catch (cause) {
    file.close()
    throw cause
  }
}

/**
 * Whether files can be locked there. It is tried on a file that others hold for a moment at most, for the same trial. A
 * trial that fails for another reason, such as a full disk, tells nothing against locks.
 */
const locksAreKept = (path: string): boolean => {
  const tried = `${path}.tried`
  try {
    acquireLock(tried, 200).close()
    return true
  } catch (cause) {
    return !isOfKind("busy")(cause)
  } finally {
    rmSync(tried, { force: true })
  }
}

const refusal = (database: string, path: string, cause: unknown): DatabaseInUse | DatabaseFileUnusable => {
  if (!isOfKind("busy")(cause)) return unusable(database, cause)
  if (locksAreKept(path)) return new DatabaseInUse({ file: database })
  return new DatabaseFileUnusable({
    file: database,
    detail: "its file system keeps no locks, so two hosts could write to it at once",
    hint: "put it on a local disk"
  })
}

const holdersKey = Symbol.for("slipway/adapters/sqlite/holders")

/** The hosts of this process that would hand over their locks. A hot reload may load this module again, so they are global. */
const holders = (): Map<string, (reason: string) => Promise<void>> => {
  const known: unknown = Reflect.get(globalThis, holdersKey)
  if (known instanceof Map) return known
  const made = new Map<string, (reason: string) => Promise<void>>()
  Reflect.set(globalThis, holdersKey, made)
  return made
}

/**
 * Locks a database file until the scope closes or the process ends. A concurrent attempt fails with `DatabaseInUse`, even in this
 * process, unless both are hosts that hand over: then the first one is closed.
 *
 * The lock is the operating system's, on the file `<database>.lock`. SQLite acquires it, so the folder must be on a local
 * disk. The database itself can still be opened for reading, such as for a backup. Nothing else may open the
 * lock file, because closing it anywhere in this process would end the lock.
 */
export const lock = (database: string): Effect.Effect<void, DatabaseInUse | DatabaseFileUnusable, Scope.Scope> =>
  Effect.gen(function* () {
    const path = `${database}.lock`
    const close = yield* HandOver
    const holder = close && holders().get(path)
    if (holder !== undefined) {
      yield* Effect.promise(() =>
        holder(
          `This Slipway is closed, because another one in this process opened ${database}. Keep one for each folder.`
        )
      )
    }
    yield* Effect.acquireRelease(
      Effect.try({ try: () => acquireLock(path, 0), catch: (cause) => refusal(database, path, cause) }),
      (file) => Effect.sync(() => file.close())
    )
    if (close === undefined) return
    yield* Effect.acquireRelease(
      Effect.sync(() => holders().set(path, close)),
      () => Effect.sync(() => holders().delete(path))
    )
  })
