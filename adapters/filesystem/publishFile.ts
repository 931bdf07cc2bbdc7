import { Effect } from "effect"
import { mkdir, rename } from "node:fs/promises"
import { dirname } from "node:path"
import { attempt } from "./attempt.ts"
import type { FileError } from "./attempt.ts"
import { syncFolders } from "./syncFolders.ts"

/**
 * Gives a finished file its name, in place of a file that has it, in one step and for good. Folders on the way are made;
 * when one is removed as empty in that moment, it is made again.
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
