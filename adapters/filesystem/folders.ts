import { Effect } from "effect"
import { access, constants, stat } from "node:fs/promises"
import { attempt, type FileError } from "./attempt.ts"

/** The folders of a store: `objects` holds complete objects, `temporary` those that are being received. */
export interface Folders {
  readonly objects: string
  readonly temporary: string
}

/** Checks that a folder exists. A file of its name is refused as `ENOTDIR`. */
export const assertFolder = (folder: string): Effect.Effect<void, FileError> =>
  Effect.asVoid(attempt(() => stat(`${folder}/`)))

/** Checks that both folders exist and that this process may write to them. */
export const assertFolders = ({ objects, temporary }: Folders): Effect.Effect<void, FileError> =>
  Effect.forEach(
    [objects, temporary],
    (folder) =>
      Effect.andThen(
        assertFolder(folder),
        attempt(() => access(folder, constants.R_OK | constants.W_OK | constants.X_OK))
      ),
    { discard: true }
  )
