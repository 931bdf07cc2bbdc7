import { mkdirSync, statSync } from "node:fs"
import { dirname } from "node:path"

const codeOf = (error: unknown): unknown =>
  typeof error === "object" && error !== null && "code" in error ? error.code : undefined

/** Makes one folder, unless it exists. Answers whether it was made. */
const makeOne = (path: string): boolean => {
  try {
    mkdirSync(path, { mode: 0o700 })
    return true
  } catch (cause) {
    if (codeOf(cause) === "EEXIST" && statSync(path).isDirectory()) return false
    throw cause
  }
}

/**
 * Makes a folder and those above it, for their owner only, and answers the first one that it made. Node's own way to do this never
 * returns in a file system that refuses new folders as missing, such as `/proc`.
 */
export const makeFolder = (path: string): string | undefined => {
  try {
    return makeOne(path) ? path : undefined
  } catch (cause) {
    if (codeOf(cause) !== "ENOENT" || dirname(path) === path) throw cause
    const first = makeFolder(dirname(path))
    return makeOne(path) ? (first ?? path) : first
  }
}
