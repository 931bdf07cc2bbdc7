import { Effect } from "effect"
import { copyFile, link, open } from "node:fs/promises"
import { attempt } from "./attempt.ts"
import type { FileError } from "./attempt.ts"

/** What file systems without links, or without one more to this file, answer. */
const withoutLinks = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK", "EXDEV"])

const copy = async (from: string, to: string): Promise<void> => {
  await copyFile(from, to)
  await using handle = await open(to, "r+")
  await handle.sync()
}

/**
 * A second name for a file that never changes, or a copy of it where there can't be one. `makeLink` is how the file
 * system links.
 */
export const duplicate = (from: string, to: string, makeLink = link): Effect.Effect<void, FileError> =>
  Effect.catchIf(
    attempt(() => makeLink(from, to)),
    (error) => withoutLinks.has(error.code),
    () => attempt(() => copy(from, to))
  )
