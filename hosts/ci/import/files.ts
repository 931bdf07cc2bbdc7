/** The files that a test tool wrote to a folder. Links and paths out of it are reported, and not followed. */
import { existsSync, readdirSync, realpathSync, statSync } from "node:fs"
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { RecordingKind } from "../../client/index.ts"
import { unusable } from "../command/Stopped.ts"
import type { ImportLog } from "./ImportLog.ts"

/** Whether there is a file at a path. */
export const isFile = (path: string): boolean => {
  try {
    return statSync(path).isFile()
  } catch {
    return false
  }
}

export const isWithin = (folder: string, path: string): boolean => {
  const from = relative(folder, path)
  return from !== ".." && !from.startsWith(`..${sep}`) && !isAbsolute(from)
}

/**
 * A file that another one names, by a path from its folder; `undefined`, and reported, if it doesn't exist or is
 * outside.
 */
export const namedFile = (folder: string, path: string, namedBy: string, log: ImportLog): string | undefined => {
  const leadsOut = () => {
    log.problem({ file: namedBy, reason: `It names ${JSON.stringify(path)}, which is outside of its folder.` })
    return undefined
  }
  const file = resolve(folder, path)
  if (path.includes("\0") || isAbsolute(path) || !isWithin(folder, file)) return leadsOut()
  try {
    return isWithin(realpathSync.native(folder), realpathSync.native(file)) ? file : leadsOut()
  } catch {
    log.problem({ file: namedBy, reason: `It names ${JSON.stringify(path)}, which doesn't exist.` })
    return undefined
  }
}

/** The target of a link; `undefined`, and reported, if it doesn't exist or is outside of the folder. */
const linkedFile = (folder: string, link: string, log: ImportLog): string | undefined => {
  const target = statSync(link, { throwIfNoEntry: false }) && realpathSync.native(link)
  if (target !== undefined && isWithin(realpathSync.native(folder), target)) return link
  log.problem({ file: link, reason: `It is a link ${target === undefined ? "to nothing" : "out of the folder"}.` })
  return undefined
}

/** Folders that never contain results, and may be large. */
const ignored = new Set(["node_modules", ".git"])

/** A file, or a folder that is read as a whole. */
export interface Found {
  readonly path: string
  readonly isFolder: boolean
  /** Whether the command line names the file itself. */
  readonly isNamed: boolean
}

/** Which folders are read as a whole, and which of the folders in those hold nothing else. */
export interface WholeFolders {
  readonly isWhole: (folder: string, names: ReadonlySet<string>) => boolean
  readonly within: ReadonlySet<string>
}

const none: WholeFolders = { isWhole: () => false, within: new Set() }

/** All files below a folder, sorted by their paths; a folder that is read as a whole comes before its other files. */
export function* filesBelow(
  folder: string,
  log: ImportLog,
  taken: WholeFolders = none,
  root = folder
): Generator<Found> {
  const entries = readdirSync(folder, { withFileTypes: true })
  const isTaken = taken.isWhole(folder, new Set(entries.map(({ name }) => name)))
  if (isTaken) yield { path: folder, isFolder: true, isNamed: false }
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (ignored.has(entry.name) || (isTaken && taken.within.has(entry.name))) continue
      yield* filesBelow(path, log, taken, root)
    } else if (entry.isFile()) yield { path, isFolder: false, isNamed: false }
    else if (entry.isSymbolicLink()) {
      const target = linkedFile(root, path, log)
      // A link to a folder could lead round in a circle; what it leads to within the folder is found there.
      if (target !== undefined && statSync(target).isFile()) yield { path, isFolder: false, isNamed: false }
    }
  }
}

/** The files that paths of the command line name or hold, each once. A path that isn't there ends the command. */
export function* filesOf(
  paths: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog,
  taken?: WholeFolders
): Generator<Found> {
  const answered = new Set<string>()
  for (const path of paths) {
    const file = resolve(cwd, path)
    const found = statSync(file, { throwIfNoEntry: false })
    if (found === undefined) throw unusable(`There is no ${path} in ${cwd}.`)
    const all: Iterable<Found> = found.isDirectory()
      ? filesBelow(file, log, taken)
      : [{ path: file, isFolder: false, isNamed: true }]
    for (const one of all) {
      const key = `${one.path}${one.isFolder ? "/" : ""}`
      if (answered.has(key)) continue
      answered.add(key)
      yield one
    }
  }
}

/** The path of a file in messages: relative to the working folder. */
export const shown = (cwd: string, file: string): string => {
  const from = relative(cwd, file)
  return from === "" || from.startsWith("..") ? file : from
}

const types: Readonly<Record<string, readonly [RecordingKind, string]>> = {
  ".png": ["screenshot", "image/png"],
  ".jpg": ["screenshot", "image/jpeg"],
  ".jpeg": ["screenshot", "image/jpeg"],
  ".webp": ["screenshot", "image/webp"],
  ".mp4": ["video", "video/mp4"],
  ".mov": ["video", "video/quicktime"],
  ".webm": ["video", "video/webm"],
  ".log": ["log", "text/plain; charset=utf-8"],
  ".md": ["other", "text/markdown; charset=utf-8"],
  ".txt": ["log", "text/plain; charset=utf-8"],
  ".json": ["other", "application/json"],
  ".har": ["other", "application/json"],
  ".xml": ["other", "application/xml"],
  ".html": ["other", "text/html; charset=utf-8"]
}

/** What a recorded file is, by the end of its name. */
export const recordingType = (file: string): { readonly kind: RecordingKind; readonly contentType: string } => {
  const [kind, contentType] = types[extname(file).toLowerCase()] ?? ["other", "application/octet-stream"]
  return { kind, contentType }
}

/** Whether secrets can be hidden in a recording. */
export const isText = ({
  contentType,
  kind
}: {
  readonly contentType: string
  readonly kind: RecordingKind
}): boolean => kind === "log" || /^text\/|[/+](?:json|xml)\b/.test(contentType)

/** Where CIs check a repository out. */
const checkouts: ReadonlyArray<RegExp> = [
  // GitHub: a folder of the repository's name in another of its name.
  /\/([^/]+)\/\1\/(?<path>.+)/,
  /^\/builds\/[^/]+\/[^/]+\/(?<path>.+)/,
  /^\/(?:root|home\/circleci|Users\/distiller)\/project\/(?<path>.+)/,
  /^\/bitrise\/src\/(?<path>.+)/,
  /^\/Users\/[^/]+\/git\/(?<path>.+)/,
  /^\/Users\/builder\/clone\/(?<path>.+)/,
  /^\/(?:home|Users)\/expo\/workingdir\/build\/(?<path>.+)/,
  /\/(?:work|agent\/_work|a)\/\d+\/s\/(?<path>.+)/,
  /^\/opt\/atlassian\/pipelines\/agent\/build\/(?<path>.+)/,
  /\/(?:buildkite-agent|\.buildkite-agent|buildkite)\/builds\/[^/]+\/[^/]+\/[^/]+\/(?<path>.+)/,
  /\/jenkins\/workspace\/[^/]+\/(?<path>.+)/
]

const repositoryOf = (folder: string): string | undefined =>
  existsSync(join(folder, ".git")) ? folder : dirname(folder) === folder ? undefined : repositoryOf(dirname(folder))

/**
 * A path of the machine that the tests ran on, from the working folder or the root of the repository, as far as they are
 * known: on another machine, it is the same test.
 */
export const inRepository = (path: string, cwd: string): string => {
  const plain = path.replace(/^file:\/\/(?=\/)/, "")
  if (!isAbsolute(plain) && !/^[A-Za-z]:[\\/]/.test(plain)) return plain
  const segments = plain.split(/[\\/]/).filter((segment) => segment !== "")
  for (const root of [cwd, repositoryOf(cwd)]) {
    if (root !== undefined && plain !== root && isWithin(root, plain)) return relative(root, plain).replaceAll(sep, "/")
  }
  for (let from = 0; from < segments.length; from += 1) {
    const rest = segments.slice(from)
    if (isFile(join(cwd, ...rest))) return rest.join("/")
  }
  const all = segments.map((segment) => `/${segment}`).join("")
  return checkouts.map((checkout) => checkout.exec(all)?.groups?.["path"]).find((known) => known !== undefined) ?? plain
}
