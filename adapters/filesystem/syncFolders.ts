import { Effect } from "effect"
import { open } from "node:fs/promises"
import { dirname } from "node:path"
import { attempt, isMissing } from "./attempt.ts"
import type { FileError } from "./attempt.ts"

/** A folder that is gone by now has nothing to keep. */
const syncFolder = (folder: string): Effect.Effect<void, FileError> =>
  Effect.catchIf(
    attempt(async () => {
      await using handle = await open(folder, "r")
      await handle.sync()
    }),
    isMissing,
    () => Effect.void
  )

/** `folder` and those above it, up to the one that lists `first`. */
const upTo = (folder: string, first: string | undefined): ReadonlyArray<string> =>
  first === undefined || folder.length < first.length ? [folder] : [folder, ...upTo(dirname(folder), first)]

/**
 * Makes what a folder lists last through a power loss, and that the folder is there itself. `firstMade` is the first of
 * the folders that had to be made on the way to it, as `mkdir` answers.
 */
export const syncFolders = (folder: string, firstMade: string | undefined): Effect.Effect<void, FileError> =>
  Effect.forEach(upTo(folder, firstMade), syncFolder, { discard: true })
