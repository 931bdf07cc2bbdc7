import { Effect } from "effect"
import { mkdir, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { attempt, type FileError } from "./attempt.ts"
import { syncFolders } from "./syncFolders.ts"

/**
 * Renames a finished file in one durable step and replaces a file of that name. Missing folders are made; a folder that
 * another call removes as empty meanwhile is made again.
 */
export const publishFile = (file: string, target: string): Effect.Effect<void, FileError> =>
  Effect.uninterruptible(
    Effect.gen(function* () {
      const folder = dirname(target)
      const firstMade = yield* Effect.gen(function* () {
        const made = yield* attempt(() => mkdir(folder, { recursive: true, mode: 0o700 }))
        yield* attempt(() => rename(file, target))
        return made
      }).pipe(Effect.retry({ times: 100, while: (error) => error.code === "ENOENT" }))
      yield* syncFolders(folder, firstMade)
    })
  )
