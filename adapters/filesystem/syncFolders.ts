import { Effect } from "effect"
import { closeSync, constants, fsync, openSync } from "node:fs"
import { dirname } from "node:path"
import { promisify } from "node:util"
import { attempt, isMissing, type FileError } from "./attempt.ts"

const forceToDisk = promisify(fsync)

/**
 * Opens and closes at once: a file was put into this folder just now, so the system has it in memory, and each call by the
 * detour over another thread costs more than these two.
 */
const sync = async (folder: string): Promise<void> => {
  const fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY)
  try {
    await forceToDisk(fd)
  } finally {
    closeSync(fd)
  }
}

/** The sync of a folder that is under way, and the one after it. */
interface Syncs {
  readonly now: Promise<void>
  next?: Promise<void>
}

const underWay = new Map<string, Syncs>()

/**
 * Syncs a folder. Calls during a running sync share the next sync, which begins after their files were written. All uploads
 * write to the same few folders, and each sync is expensive for the disk.
 */
const syncShared = (folder: string): Promise<void> => {
  const begin = () => {
    const syncs: Syncs = {
      now: sync(folder).finally(() => {
        if (syncs.next === undefined) underWay.delete(folder)
      })
    }
    underWay.set(folder, syncs)
    return syncs.now
  }
  const syncs = underWay.get(folder)
  if (syncs === undefined) return begin()
  return (syncs.next ??= syncs.now.then(begin, begin))
}

/** A folder that was removed meanwhile needs no sync. */
const syncFolder = (folder: string): Effect.Effect<void, FileError> =>
  Effect.catchIf(
    attempt(() => syncShared(folder)),
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
  Effect.forEach(upTo(folder, firstMade), syncFolder, { discard: true, concurrency: "unbounded" })
