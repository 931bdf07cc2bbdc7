import { Effect } from "effect"
import { copyFile, link, open } from "node:fs/promises"
import { attempt, type FileError } from "./attempt.ts"

/** The error codes of file systems that don't support links or don't allow another link to this file. */
const withoutLinks = new Set(["EPERM", "EOPNOTSUPP", "ENOTSUP", "ENOSYS", "EMLINK", "EXDEV"])

const copy = async (from: string, to: string): Promise<void> => {
  await copyFile(from, to)
  await using handle = await open(to, "r+")
  await handle.sync()
}

/** Gives a file that never changes a second name, or copies it where that is impossible. `makeLink` makes the link. */
export const duplicate = (from: string, to: string, makeLink = link): Effect.Effect<void, FileError> =>
  Effect.catchIf(
    attempt(() => makeLink(from, to)),
    (error) => withoutLinks.has(error.code),
    () => attempt(() => copy(from, to))
  )
