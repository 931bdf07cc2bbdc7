import { Effect } from "effect"
import { rmdir, unlink } from "node:fs/promises"
import { dirname } from "node:path"
import { attempt, isMissing, type FileError } from "./attempt.ts"

/** Removes a folder and its parents below `root` as long as they are empty. */
const prune = (root: string, folder: string): Effect.Effect<void> =>
  folder === root
    ? Effect.void
    : Effect.matchEffect(
        attempt(() => rmdir(folder)),
        { onSuccess: () => prune(root, dirname(folder)), onFailure: () => Effect.void }
      )

/** Removes files below `root`, and the folders that become empty. A missing file is no error. */
export const removeFiles = Effect.fnUntraced(function* (
  root: string,
  files: ReadonlyArray<string>
): Effect.fn.Return<void, FileError> {
  yield* Effect.forEach(
    files,
    (file) =>
      Effect.catchIf(
        attempt(() => unlink(file)),
        isMissing,
        () => Effect.void
      ),
    { concurrency: 16, discard: true }
  )
  yield* Effect.forEach(new Set(files.map((file) => dirname(file))), (folder) => prune(root, folder), { discard: true })
})
