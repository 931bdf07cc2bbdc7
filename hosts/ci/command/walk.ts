/** Walks folders that another program filled: only regular files, each once, in bounded time. */
import { isUtf8 } from "node:buffer"
import { readdirSync, realpathSync, statSync, type Dirent, type Stats, closeSync, openSync, readSync } from "node:fs"
import { isAbsolute, join, relative, sep } from "node:path"
import { unusable } from "./Context.ts"

/** The most entries of one walk. */
const maxEntries = 200_000

/** What is there, after links; `undefined` if nothing is, or it can't be reached. */
export const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

/** What else than a regular file or a folder this is: opening one may wait for ever. */
export const specialKind = (found: Stats): string | undefined =>
  found.isFile() || found.isDirectory()
    ? undefined
    : found.isFIFO()
      ? "a FIFO"
      : found.isSocket()
        ? "a socket"
        : "a device"

/** Whether a path is a folder or below it. */
export const isWithin = (folder: string, path: string): boolean => {
  const from = relative(folder, path)
  return from !== ".." && !from.startsWith(`..${sep}`) && !isAbsolute(from)
}

/** The path without links; `undefined` if nothing is there. */
export const realPath = (path: string): string | undefined => {
  try {
    return realpathSync.native(path)
  } catch {
    return undefined
  }
}

/** A file, or a folder with the names in it, which comes before its files. */
type Walked =
  | { readonly path: string; readonly names: undefined }
  | { readonly path: string; readonly names: ReadonlySet<string> }

interface Walk {
  /** Whether an entry of a folder is passed over, without a word. */
  readonly skips: (folder: string, name: string) => boolean
  /** Whether links to folders are followed. Each folder is followed once; one that is walked anyway needs no link. */
  readonly followsFolders: boolean
  /** What is left out, and why. */
  readonly leftOut: (path: string, reason: string) => void
  /** Another path of an entry whose name is no text, so that no path names it; without one it is left out. */
  readonly pathOf?: ((folder: string, name: Buffer) => string | undefined) | undefined
}

const codeOf = (error: unknown): string =>
  error instanceof Error && "code" in error ? String(error.code) : String(error)

interface Entry {
  readonly name: string
  readonly path: string
  readonly entry: Dirent<Buffer>
}

/**
 * The folder, and everything below it, sorted by names. Left out are links out of it or to nothing, and what is no
 * regular file.
 */
export function* walk(top: string, { followsFolders, leftOut, pathOf, skips }: Walk): Generator<Walked> {
  const root = realPath(top) ?? top
  const followed = new Set<string>()
  let entries = 0

  const entriesOf = (folder: string): ReadonlyArray<Entry> => {
    let found: ReadonlyArray<Dirent<Buffer>>
    try {
      found = readdirSync(folder, { encoding: "buffer", withFileTypes: true })
    } catch (error) {
      leftOut(folder, `it can't be read (${codeOf(error)})`)
      return []
    }
    entries += found.length
    if (entries > maxEntries) {
      throw unusable(`${top} has more than ${maxEntries} files and folders. Name the folder that has the results.`)
    }
    return found
      .flatMap((entry): ReadonlyArray<Entry> => {
        const name = entry.name.toString()
        const path = isUtf8(entry.name) ? join(folder, name) : pathOf?.(folder, entry.name)
        if (path === undefined) leftOut(join(folder, name), "its name isn't UTF-8")
        return path === undefined ? [] : [{ name, path, entry }]
      })
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  }

  function* below(folder: string, real: string, above: ReadonlyArray<string>): Generator<Walked> {
    const within = [...above, real]
    const all = entriesOf(folder)
    yield { path: folder, names: new Set(all.map(({ name }) => name)) }
    for (const { entry, name, path } of all) {
      if (skips(folder, name)) continue
      if (entry.isFile()) yield { path, names: undefined }
      else if (entry.isDirectory()) yield* below(path, join(real, name), within)
      else {
        const [found, target] = [statOf(path), realPath(path)]
        const special = found === undefined ? undefined : specialKind(found)
        if (found === undefined || target === undefined) leftOut(path, "it is a link to nothing")
        else if (special !== undefined) leftOut(path, `it is ${special}`)
        else if (!isWithin(root, target)) leftOut(path, "it is a link out of the folder")
        else if (found.isFile()) yield { path, names: undefined }
        else if (!followsFolders) continue
        else if (within.includes(target)) leftOut(path, "it is a link to a folder that it is in")
        else if (followed.has(target)) leftOut(path, "it is a link to a folder that another link leads to")
        else {
          followed.add(target)
          yield* below(path, target, within)
        }
      }
    }
  }
  yield* below(top, root, [])
}

/** The first bytes of a file. */
export const headOf = (file: string, size: number): Uint8Array => {
  const head = new Uint8Array(size)
  const opened = openSync(file, "r")
  try {
    return head.subarray(0, readSync(opened, head))
  } finally {
    closeSync(opened)
  }
}
