/** The files that a test tool wrote to a folder. Links and paths out of it are reported, and not followed. */
import ignore from "ignore"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path"
import type { RecordingKind } from "../../client/index.ts"
import { unusable } from "../command/Context.ts"
import { isWithin, realPath, specialKind, statOf, walk } from "../command/walk.ts"
import type { ImportLog } from "./recordedRun.ts"
import { isSecretFile } from "./mask.ts"

/** Whether there is a regular file at a path. */
export const isFile = (path: string): boolean => statOf(path)?.isFile() === true

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
  const [real, found] = [realPath(file), statOf(file)]
  if (real === undefined || found === undefined) {
    log.problem({ file: namedBy, reason: `It names ${JSON.stringify(path)}, which doesn't exist.` })
    return undefined
  }
  if (!isWithin(realPath(folder) ?? folder, real)) return leadsOut()
  const special = specialKind(found)
  if (special === undefined) return file
  log.problem({ file: namedBy, reason: `It names ${JSON.stringify(path)}, which is ${special}.` })
  return undefined
}

/**
 * Whether a recording may be sent by its name: files that usually hold secrets are left out, and a note names them. A link
 * counts by its own name and by that of its target.
 */
export const isSendable = (folder: string, file: string, log: ImportLog): boolean => {
  const paths = [relative(folder, file), relative(realPath(folder) ?? folder, realPath(file) ?? file)]
  if (!paths.some(isSecretFile)) return true
  log.note(`Not sent: ${file}. Files of this name often hold secrets.`)
  return false
}

let aliases: string | undefined
const originals = new Map<string, string>()

/** A link to an entry whose name isn't UTF-8, such as one of an archive of another system: no text is its path. */
const aliasOf = (folder: string, name: Buffer): string => {
  if (aliases === undefined) {
    const made = mkdtempSync(join(tmpdir(), "slipway-ci-names-"))
    process.once("exit", () => rmSync(made, { recursive: true, force: true }))
    aliases = made
  }
  const above = join(aliases, String(originals.size))
  mkdirSync(above)
  const alias = join(above, name.toString())
  symlinkSync(Buffer.concat([Buffer.from(`${folder}/`), name]), alias)
  originals.set(alias, join(folder, name.toString()))
  return alias
}

/** The path that people know, which may name nothing: see {@link aliasOf}. */
export const originalPath = (path: string): string => {
  for (const [alias, original] of originals)
    if (isWithin(alias, path)) return originalPath(join(original, relative(alias, path)))
  return path
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
interface WholeFolders {
  readonly isWhole: (folder: string, names: ReadonlySet<string>) => boolean
  readonly within: ReadonlySet<string>
}

const none: WholeFolders = { isWhole: () => false, within: new Set() }

/**
 * All files below a folder, sorted by their paths; a folder that is read as a whole comes before its other files. Links
 * to folders are not followed: what they lead to within the folder is found there.
 */
export function* filesBelow(folder: string, log: ImportLog, taken: WholeFolders = none): Generator<Found> {
  const whole = new Set<string>()
  const found = walk(folder, {
    skips: (above, name) => ignored.has(name) || (whole.has(above) && taken.within.has(name)),
    followsFolders: false,
    leftOut: (file, reason) => log.problem({ file, reason: `${reason.replace(/^it/, "It")}.` }),
    pathOf: aliasOf
  })
  for (const { names, path } of found) {
    if (names === undefined) yield { path, isFolder: false, isNamed: false }
    else if (taken.isWhole(path, names)) {
      whole.add(path)
      yield { path, isFolder: true, isNamed: false }
    }
  }
}

/** A folder and all folders below it. */
export function* foldersBelow(folder: string): Generator<string> {
  const skips = (_above: string, name: string) => ignored.has(name)
  for (const { names, path } of walk(folder, { skips, followsFolders: false, leftOut: () => {}, pathOf: aliasOf }))
    if (names !== undefined) yield path
}

/**
 * The files that paths of the command line name or hold, each once, also where links lead to it. A path that isn't there
 * or is no regular file ends the command.
 */
export function* filesOf(
  paths: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog,
  taken?: WholeFolders
): Generator<Found> {
  const answered = new Set<string>()
  const named = new Set(paths.map((path) => resolve(cwd, path)))
  for (const path of paths) {
    const file = resolve(cwd, path)
    const found = statOf(file)
    if (found === undefined) throw unusable(`There is no ${path} in ${cwd}.`)
    const special = specialKind(found)
    if (special !== undefined) throw unusable(`${path} is ${special}. Name a file or a folder.`)
    const all: Iterable<Found> = found.isDirectory()
      ? filesBelow(file, log, taken)
      : [{ path: file, isFolder: false, isNamed: true }]
    for (const one of all) {
      // A name that isn't UTF-8 may look like another one.
      const path = originalPath(one.path) === one.path ? realPath(one.path) : undefined
      const key = `${path ?? one.path}${one.isFolder ? "/" : ""}`
      if (answered.has(key)) continue
      answered.add(key)
      yield named.has(one.path) ? { ...one, isNamed: true } : one
    }
  }
}

/** How many folders of two paths are the same, from the root on. */
export const foldersInCommon = (one: string, other: string): number => {
  const [a, b] = [one.split(/[\\/]/), other.split(/[\\/]/)]
  const differs = a.findIndex((segment, at) => segment !== b[at])
  return differs === -1 ? a.length : differs
}

/** The path of a file in messages: relative to the working folder. */
export const shown = (cwd: string, path: string): string => {
  const file = originalPath(path)
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

/** The folder of the checkout that a folder is in. */
const repositoryOf = (folder: string): string | undefined =>
  statOf(join(folder, ".git")) !== undefined
    ? folder
    : dirname(folder) === folder
      ? undefined
      : repositoryOf(dirname(folder))

/**
 * A path of the machine that the tests ran on, from the working folder or the root of the repository, as far as they are
 * known: on another machine, it is the same test.
 */
export const inRepository = (path: string, cwd: string): string => {
  const plain = path.replace(/^file:\/\/(?=\/)/, "")
  if (!isAbsolute(plain) && !/^[A-Za-z]:[\\/]/.test(plain)) return plain
  const segments = plain.split(/[\\/]/).filter((segment) => segment !== "")
  for (const root of isAbsolute(plain) ? [cwd, realPath(cwd), repositoryOf(cwd)] : []) {
    if (root !== undefined && plain !== root && isWithin(root, plain)) return relative(root, plain).replaceAll(sep, "/")
  }
  for (let from = 0; from < segments.length; from += 1) {
    const rest = segments.slice(from)
    if (isFile(join(cwd, ...rest))) return rest.join("/")
  }
  const all = segments.map((segment) => `/${segment}`).join("")
  return checkouts.map((checkout) => checkout.exec(all)?.groups?.["path"]).find((known) => known !== undefined) ?? plain
}

// The files that a report names as attachments: a report of a strange job may name any file of the machine.

/** A path as patterns have it. */
const slashed = (path: string): string => path.replaceAll("\\", "/")

/** The rules of a `.gitignore` without those that cover the root itself: results are often ignored as a whole. */
const rulesIn = (folder: string, root: string) => {
  const file = join(folder, ".gitignore")
  if (!isFile(file)) return undefined
  let lines = readFileSync(file, "utf8").split(/\r?\n/)
  const of = slashed(relative(folder, root))
  for (;;) {
    const rules = ignore().add(lines)
    const covering = of === "" || !isWithin(folder, root) ? undefined : rules.test(`${of}/`).rule
    if (covering === undefined) return rules
    lines = lines.filter((line) => line.trim() !== covering.pattern.trim())
  }
}

/** Whether git ignores a file below a root: the rules nearest to it decide. */
const isIgnored = (root: string, file: string, cwd: string): boolean => {
  const top = repositoryOf(root) ?? (isWithin(cwd, root) ? cwd : root)
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    const { ignored = false, unignored = false } = rulesIn(folder, root)?.test(slashed(relative(folder, file))) ?? {}
    if (ignored || unignored) return ignored
    if (folder === top || folder === dirname(folder)) return false
  }
}

/**
 * The attachment of a path in a report, from the folder of the report or from the working folder. It lies below the
 * folder of the report or below one of the folders of the command line, and neither git ignores it, but for pictures,
 * nor looks it like a secret. All others are reported, and not sent.
 */
export const attachedFile = (
  path: string,
  report: string,
  named: ReadonlyArray<string>,
  cwd: string,
  log: ImportLog
): string | undefined => {
  const folder = dirname(report)
  const places = path.includes("\0") ? [] : [resolve(folder, path), resolve(cwd, path)]
  const file = places.find(isFile)
  const real = file === undefined ? undefined : realPath(file)
  if (file === undefined || real === undefined) {
    const found = places.map(statOf).find((one) => one !== undefined)
    const what = found === undefined ? "doesn't exist" : `is ${specialKind(found) ?? "a folder"}`
    log.problem({ file: report, reason: `It names ${JSON.stringify(path)}, which ${what}.` })
    return undefined
  }
  const roots = [folder, ...named.map((one) => resolve(cwd, one))].filter((one) => statOf(one)?.isDirectory() === true)
  const root = roots.find((one) => isWithin(one, file) && isWithin(realPath(one) ?? one, real))
  if (root === undefined) {
    const reason = `It names ${JSON.stringify(path)}, which is outside of its folder and of the folders of the command line.`
    log.problem({ file: report, reason })
    return undefined
  }
  if (!isSendable(root, file, log)) return undefined
  const { kind } = recordingType(file)
  const isPicture = kind === "screenshot" || kind === "video"
  if (!isPicture && (isIgnored(root, file, cwd) || isIgnored(realPath(root) ?? root, real, realPath(cwd) ?? cwd))) {
    // A rule that covers the file itself holds whatever folder is named.
    const remedy = isIgnored(dirname(file), file, cwd) ? "" : "; name its folder to send it"
    log.note(`Not sent: ${file}. A .gitignore covers it${remedy}.`)
    return undefined
  }
  return file
}
