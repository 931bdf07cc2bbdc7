/** Reads JSON that another program wrote: of a file that was cut, what is whole; and fields of unknown values. */
import { JSONParser } from "@streamparser/json"
import { createReadStream, readFileSync } from "node:fs"
import { pipeline } from "node:stream"
import { constants, createGunzip, gunzipSync } from "node:zlib"
import { headOf } from "../command/walk.ts"
import type { ImportLog } from "./recordedRun.ts"

export type Fields = Readonly<Record<string, unknown>>

/** The fields of an object; none of anything else. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {}

/** The items of an array; none of anything else. */
export const itemsOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

/** A text that isn't empty. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** A finite number, or a text that says one. */
export const numberOf = (value: unknown): number | undefined => {
  const number = typeof value === "string" && value.trim() !== "" ? Number(value) : value
  return typeof number === "number" && Number.isFinite(number) ? number : undefined
}

/** The texts of an array. */
export const textsOf = (value: unknown): ReadonlyArray<string> => itemsOf(value).flatMap((item) => textOf(item) ?? [])

const lineOfFault = (text: string, reason: string): number => {
  const position = /position (\d+)/.exec(reason)?.[1]
  return text.slice(0, position === undefined ? undefined : Number(position)).split("\n").length
}

/** The values at a path such as `$.*` that stand whole before the fault. */
const wholeValues = (text: string, path: string): ReadonlyArray<unknown> => {
  const whole: Array<unknown> = []
  const parser = new JSONParser({ paths: [path], keepStack: false })
  parser.onValue = ({ value }) => void whole.push(value)
  // The caller has reported the fault already.
  parser.onError = () => {}
  try {
    parser.write(text)
  } catch {
    return whole
  }
  return whole
}

/** Whether a text is the beginning of JSON, which was cut. */
export const isCutJson = (text: string): boolean => {
  let isBroken = false
  const parser = new JSONParser({ paths: [], keepStack: false })
  parser.onError = () => void (isBroken = true)
  try {
    parser.write(text)
  } catch {
    return false
  }
  return !isBroken && !parser.isEnded
}

/** What a file holds: its value, or, where it is broken, the values at the path that stand whole before the fault. */
export type Read = { readonly value: unknown } | { readonly whole: ReadonlyArray<unknown> }

/** Parses the text of a file. A fault is reported, with its line. */
export const parseJson = (file: string, text: string, path: string, log: ImportLog): Read => {
  try {
    return { value: JSON.parse(text) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const whole = wholeValues(text, path)
    log.problem({
      file,
      line: lineOfFault(text, reason),
      reason: `It is broken here (${reason.replace(/ ?\(?(?:at|in JSON at) position.*/, "")}); ${whole.length} whole entries before it were read.`
    })
    return { whole }
  }
}

/** Reads a file of JSON. One that can't be read is as one that was cut at its beginning. */
export const readJson = (file: string, path: string, log: ImportLog): Read => {
  let text: string
  try {
    text = readText(file)
  } catch (error) {
    log.problem({ file, reason: unreadable(error) })
    return { whole: [] }
  }
  return parseJson(file, text, path, log)
}

// The text of files that other programs wrote: in any encoding that they show or declare, also gzipped.

/** Makes text of bytes, in parts. */
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

const textOfBytes = (bytes: Uint8Array): string => {
  const plain = isGzip(bytes) ? gunzipSync(bytes, unzipped) : bytes
  return decoderOf(plain).decode(plain, true)
}

/** Why a file can't be read. */
export const unreadable = (error: unknown): string =>
  `It can't be read: ${error instanceof Error ? error.message : String(error)}.`

/** The text of a file, whatever its encoding, also of a gzipped one. Fails if it can't be read. */
export const readText = (file: string): string => textOfBytes(readFileSync(file))

/** The text of a file, or of so many bytes at its beginning; empty if it can't be read. */
export const textIn = (file: string, most?: number): string => {
  try {
    return most === undefined ? readText(file) : textOfBytes(headOf(file, most))
  } catch {
    return ""
  }
}

/** The beginning of the text of a file; empty if it can't be read. */
export const beginningOf = (file: string): string => textIn(file, 4096)

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

/** The value of JSON; `undefined` of anything else. */
export const valueIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** How files of results are called: one that was cut may not show its form. */
export const resultsName = /(?:results?|reports?|tests?|cucumber|mochawesome|ctrf)[-_.\w]*\.json(?:\.gz)?$/i

/** Whether a file is JSON that was cut, or no JSON at all where it has to be some: by its name, or as it is named on the command line. */
export const isBrokenJson = (path: string, isNamed: boolean): boolean => {
  const isNeeded = isNamed || resultsName.test(path)
  let text = ""
  try {
    text = readText(path)
  } catch {
    return isNeeded
  }
  // Lines of JSON are JSON, too.
  if (valueIn(text) !== undefined || typeof valueIn(text.split("\n")[0] ?? "") === "object") return false
  return isNeeded || (text !== "" && isCutJson(text))
}
