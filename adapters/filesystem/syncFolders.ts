import { Effect } from "effect"
import { open } from "node:fs/promises"
import { dirname } from "node:path"
import { attempt, isMissing, type FileError } from "./attempt.ts"

/** A folder that was removed meanwhile needs no sync. */
const syncFolder = (folder: string): Effect.Effect<void, FileError> =>
  Effect.catchIf(
    attempt(async () => {
      await using handle = await open(folder, "r")
      await handle.sync()
    }),
    isMissing,
    () => Effect.void
  )

/** `folder` and its parents, up to the folder that contains `first`. */
const upTo = (folder: string, first: string | undefined): ReadonlyArray<string> =>
  first === undefined || folder.length < first.length ? [folder] : [folder, ...upTo(dirname(folder), first)]

/**
 * Makes a folder and its entries survive a power loss. `firstMade` is the first folder on the way that had to be made,
 * as `mkdir` answers it.
 */
export const syncFolders = (folder: string, firstMade: string | undefined): Effect.Effect<void, FileError> =>
  Effect.forEach(upTo(folder, firstMade), syncFolder, { discard: true })
