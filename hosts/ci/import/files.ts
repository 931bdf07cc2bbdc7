/**
 * The files that a test tool wrote to a folder, and their text. Links and paths out of the folder are reported, and not
 * followed.
 */
import {
  closeSync,
  createReadStream,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  realpathSync,
  statSync
} from "node:fs"
import { dirname, extname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { pipeline } from "node:stream"
import { constants, createGunzip, gunzipSync } from "node:zlib"
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

/** Makes text of the bytes that another program wrote, in parts. */
interface Decoder {
  readonly decode: (bytes: Uint8Array, isLast: boolean) => string
}

/** The encodings that the first bytes show: a byte order mark, or the zeros of UTF-16 in two characters. */
const marks: ReadonlyArray<readonly [encoding: string, isMarked: (bytes: Uint8Array) => boolean]> = [
  ["utf-16le", ([a, b, c, d]) => (a === 0xff && b === 0xfe) || (a !== 0 && b === 0 && c !== 0 && d === 0)],
  ["utf-16be", ([a, b, c, d]) => (a === 0xfe && b === 0xff) || (a === 0 && b !== 0 && c === 0 && d !== 0)],
  ["utf-8", ([a, b, c]) => a === 0xef && b === 0xbb && c === 0xbf]
]

/** UTF-8. Bytes that aren't UTF-8 are read as Windows writes them, so that names remain different from each other. */
const lenientUtf8 = (): Decoder => {
  const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const windows = new TextDecoder("windows-1252")
  const orElse = (bytes: Uint8Array, otherwise: (bytes: Uint8Array) => string): string => {
    try {
      return utf8.decode(bytes)
    } catch {
      return otherwise(bytes)
    }
  }
  const byRuns = (bytes: Uint8Array): string =>
    Buffer.from(bytes)
      .toString("latin1")
      .replaceAll(/[\x80-\xFF]+/g, (run) => orElse(Buffer.from(run, "latin1"), (wrong) => windows.decode(wrong)))
  let rest: Uint8Array = new Uint8Array()
  let isFirst = true
  return {
    decode: (bytes, isLast) => {
      const all = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
      // Each part ends with a whole character.
      const end = isLast ? all.length : all.findLastIndex((byte) => byte < 0x80) + 1
      rest = all.subarray(end)
      const text = orElse(all.subarray(0, end), byRuns)
      if (!isFirst || text === "") return text
      isFirst = false
      return text.replace(/^\uFEFF/, "")
    }
  }
}

const declared = /<\?xml[^>]*?\sencoding\s*=\s*["']([^"']+)["']/

/** The decoder for text that begins so: by its mark, the encoding that its XML declares, or UTF-8. Fails on an unknown encoding. */
const decoderOf = (head: Uint8Array): Decoder => {
  const marked = marks.find(([, isMarked]) => isMarked(head))?.[0]
  const said = marked ?? declared.exec(Buffer.from(head.subarray(0, 1024)).toString("latin1"))?.[1] ?? "utf-8"
  // A declaration that can be read as ASCII is not UTF-16, whatever it says.
  const encoding = marked === undefined && /^(?:utf-?(?:16|32)|ucs|us-ascii|ascii|utf_?8)/i.test(said) ? "utf-8" : said
  if (encoding.toLowerCase() === "utf-8") return lenientUtf8()
  const decoder = new TextDecoder(encoding)
  return { decode: (bytes, isLast) => decoder.decode(bytes, { stream: !isLast }) }
}

const isGzip = ([first, second]: Uint8Array): boolean => first === 0x1f && second === 0x8b

/** A truncated file is unzipped up to its end. */
const unzipped = { finishFlush: constants.Z_SYNC_FLUSH }

/** The first bytes of a file. */
const headOf = (file: string, size: number): Uint8Array => {
  const head = new Uint8Array(size)
  const opened = openSync(file, "r")
  try {
    return head.subarray(0, readSync(opened, head))
  } finally {
    closeSync(opened)
  }
}

const textOfBytes = (bytes: Uint8Array): string => {
  const plain = isGzip(bytes) ? gunzipSync(bytes, unzipped) : bytes
  return decoderOf(plain).decode(plain, true)
}

/** Why a file can't be read. */
export const unreadable = (error: unknown): string =>
  `It can't be read: ${error instanceof Error ? error.message : String(error)}.`

/** The text of a file, whatever its encoding, also of a gzipped one. Fails if it can't be read. */
export const readText = (file: string): string => textOfBytes(readFileSync(file))

/** The beginning of the text of a file; empty if it can't be read. */
export const beginningOf = (file: string): string => {
  try {
    return textOfBytes(headOf(file, 4096))
  } catch {
    return ""
  }
}

/** The text of a file in parts, as `readText` reads it. */
export async function* textParts(file: string): AsyncGenerator<string> {
  const isZipped = isGzip(headOf(file, 2))
  const raw = createReadStream(file)
  // The iteration gets the errors of both streams.
  const bytes = isZipped ? pipeline(raw, createGunzip(unzipped), () => {}) : raw
  let decoder: Decoder | undefined
  for await (const part of bytes) {
    const chunk: Uint8Array = part
    decoder ??= decoderOf(chunk)
    yield decoder.decode(chunk, false)
  }
  if (decoder !== undefined) yield decoder.decode(new Uint8Array(), true)
}
