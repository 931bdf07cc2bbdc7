/** Files that are being received. */
import { Clock, Effect, Exit, Option, type Scope } from "effect"
import { randomUUID } from "node:crypto"
import { readdir, stat, unlink } from "node:fs/promises"
import { join } from "node:path"
import { attempt, isMissing, type FileError } from "./attempt.ts"

const dayInMillis = 24 * 60 * 60 * 1000

/** Removes a temporary file. A missing one is no error, and any other failure is only logged. */
export const removeTemporary = (path: string): Effect.Effect<void> =>
  Effect.catchTag(
    attempt(() => unlink(path)),
    "FileError",
    (error) =>
      isMissing(error) ? Effect.void : Effect.logWarning("A temporary file could not be removed", error.cause)
  )

/** A new file name in `folder`. Unless the scope ends in success, a file of that name is removed then. */
export const temporaryFile = (folder: string): Effect.Effect<string, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => join(folder, randomUUID())),
    (path, exit) => (Exit.isSuccess(exit) ? Effect.void : removeTemporary(path))
  )

/** Removes the files in `folder` that a killed process left: every file that hasn't changed for a day. */
export const removeStaleTemporaries = Effect.fnUntraced(function* (folder: string): Effect.fn.Return<void, FileError> {
  const now = yield* Clock.currentTimeMillis
  const names = yield* attempt(() => readdir(folder))
  yield* Effect.forEach(
    names,
    Effect.fnUntraced(function* (name) {
      const path = join(folder, name)
      const found = yield* Effect.option(attempt(() => stat(path)))
      // This uses the change time, because a link to an object has the modification time of the object.
      if (Option.isSome(found) && now - found.value.ctimeMs > dayInMillis) yield* removeTemporary(path)
    }),
    { concurrency: 16, discard: true }
  )
})
