/** Recordings of text as lines: of events and of logs, with their times, and the search in them. */
import stripAnsi from "strip-ansi"
import { parseEvent, type TraceEvent } from "./steps.ts"

/** How far a text is read. */
export interface LineBounds {
  /** How many characters of a line are read; the rest of the line is skipped. */
  readonly longest: number
  /** How many bytes are read, and how many lines. A line that is cut by the last byte is left out. */
  readonly bytes: number
  readonly lines: number
}

/** How far the script of a page reads a text; it stores everything it reads. */
const scriptBounds: LineBounds = { longest: 2 ** 20, bytes: 2 ** 27, lines: Infinity }

/** How many bytes are read in one go, however many arrive at once. */
const chunkBytes = 2 ** 14

/** The bytes that have arrived in chunks so small that each is read at once. */
export function* piecesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.byteLength; at += chunkBytes) yield chunk.subarray(at, at + chunkBytes)
}

/** Reads the lines of a text in UTF-8 as its bytes arrive. */
interface LineReader {
  /** The lines that end within the next bytes. */
  readonly read: (bytes: Uint8Array) => ReadonlyArray<string>
  /** The line that is left when no more bytes come, if there is one. */
  readonly end: () => ReadonlyArray<string>
  /** Whether a bound ended the text, so that the rest isn't read. */
  readonly isOver: () => boolean
  /** Whether all of the text was read until now. */
  readonly isWhole: () => boolean
}

const withoutReturn = (line: string): string => (line.endsWith("\r") ? line.slice(0, -1) : line)

/** A reader that stops at its bounds. */
export const lineReader = ({ bytes, lines, longest }: LineBounds): LineReader => {
  const decoder = new TextDecoder()
  const left = { bytes, lines }
  let [isOver, isWhole] = [false, true]
  let rest = ""

  const cut = (line: string): string => {
    if (line.length > longest) isWhole = false
    return withoutReturn(line.slice(0, longest))
  }

  /** Adds to the unfinished line, up to the longest line that is read. */
  const goOn = (text: string): void => {
    if (rest.length <= longest) rest += text
  }

  const counted = (found: ReadonlyArray<string>): ReadonlyArray<string> => {
    const most = left.lines
    left.lines -= found.length
    if (left.lines < 0) [isOver, isWhole] = [true, false]
    return found.slice(0, most)
  }

  return {
    read: (piece) => {
      if (isOver) return []
      const known = piece.subarray(0, left.bytes)
      left.bytes -= known.byteLength
      if (known.byteLength < piece.byteLength) [isOver, isWhole] = [true, false]
      const [first = "", ...others] = decoder.decode(known, { stream: true }).split("\n")
      goOn(first)
      const last = others.pop()
      if (last === undefined) return []
      const found = [rest, ...others].map(cut)
      rest = last
      return counted(found)
    },
    end: () => {
      if (isOver) return []
      goOn(decoder.decode())
      const last = cut(rest)
      return last === "" ? [] : counted([last])
    },
    isOver: () => isOver,
    isWhole: () => isWhole
  }
}

/**
 * The lines of a stream of UTF-8 text, for the script of a page, in batches as they arrive. What is left at the end is the
 * last line. A batch comes for every few kilobytes, without a line too, so that the reader may do something else in
 * between.
 *
 * @throws RangeError, in words for people, where the text is longer than a script reads; no more of the stream is read.
 */
export async function* lineBatches(
  stream: ReadableStream<Uint8Array>,
  bounds = scriptBounds
): AsyncGenerator<ReadonlyArray<string>> {
  const { end, isOver, read } = lineReader(bounds)
  const reader = stream.getReader()
  try {
    while (!isOver()) {
      const { done, value } = await reader.read()
      if (done) {
        yield end()
        return
      }
      for (const piece of piecesOf(value)) yield read(piece)
    }
    throw new RangeError(`Only its first ${(bounds.bytes / 2 ** 20).toLocaleString("en-GB")} MiB are shown.`)
  } finally {
    await reader.cancel()
  }
}

/** A line of a log, and when it was written in milliseconds on the log's own clock. */
export interface LogLine {
  readonly index: number
  readonly t: number
  readonly text: string
}

const iso = /^\W{0,2}(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?/
/** A clock, with the day before it as Android (`03-19`) and syslog (`Mar 19`) write it, or without. */
const clock = /^\W{0,2}(\d\d-\d\d +|[A-Z][a-z]{2} +\d{1,2} +)?(?:(\d{1,2}):)?(\d{1,2}):(\d\d)(?:[.,](\d{1,3}))?\d*\b/
const minute = 60_000
const day = 24 * 60 * minute

/**
 * The time that a line begins with, in milliseconds. A `stopwatch` counts from the beginning of the log; one that might be
 * its first time shows which.
 */
interface Stamp {
  readonly millis: number
  readonly of: "calendar" | "day" | "day or stopwatch" | "stopwatch"
}

const stampOf = (text: string): Stamp | undefined => {
  const [dated, date, zone = ""] = iso.exec(text) ?? []
  if (dated !== undefined && date !== undefined) {
    // Some browsers don't parse a time zone without a colon.
    const withColon = zone.replace(/^([+-]\d\d)(\d\d)$/, "$1:$2")
    const millis = Date.parse(date.replace(" ", "T").replace(",", ".") + withColon)
    return Number.isNaN(millis) ? undefined : { millis, of: "calendar" }
  }
  const [found, onDay, hours, minutes, seconds, fraction = ""] = clock.exec(text) ?? []
  if (found === undefined) return undefined
  const whole = (Number(hours ?? 0) * 60 + Number(minutes)) * minute + Number(seconds) * 1000
  return {
    millis: whole + Number(fraction.padEnd(3, "0")),
    of: onDay !== undefined ? "day" : hours !== undefined ? "day or stopwatch" : "stopwatch"
  }
}

/** A line without the time that it begins with, for where its time stands beside it. */
export const withoutTime = (text: string): string => {
  const [time] = iso.exec(text) ?? clock.exec(text) ?? []
  return time === undefined ? text : text.slice(time.length).replace(/^\W?\s+/, "")
}

/**
 * Reads the lines of a log, one after the other, with their times. Times count from the first one, unless the log's clock
 * is a stopwatch; a line without a time as the first one is written, or with an earlier one, has the time of the line before.
 * They are on the log's own clock, unless the start of the log on another clock is given.
 */
export const logReader = (startedAtMs = 0): ((line: string) => LogLine) => {
  let first: Stamp | undefined
  let [last, index, midnights, before] = [0, 0, 0, 0]

  /** A stopwatch continues past the first hour; times in another form are not of this log. */
  const isTime = ({ of }: Stamp): boolean =>
    first === undefined || of === first.of || (first.of === "stopwatch" && of === "day or stopwatch")

  return (line) => {
    const text = stripAnsi(line)
    const stamp = stampOf(text)
    if (stamp !== undefined && isTime(stamp)) {
      first ??= stamp
      const isStopwatch = first.of === "stopwatch" || (first.of === "day or stopwatch" && first.millis < minute)
      if (first.of !== "calendar" && before - stamp.millis > day / 2) midnights += day
      before = stamp.millis
      last = Math.max(last, stamp.millis + midnights - (isStopwatch ? 0 : first.millis))
    }
    return { index: index++, t: startedAtMs + last, text }
  }
}

/** How many lines are shown before a failure, and after it. */
const around = { before: 12, after: 4 }

/** The lines around a moment of the run; the last ones where the moment isn't known. */
export const linesAround = (lines: ReadonlyArray<LogLine>, moment: number | undefined): ReadonlyArray<LogLine> => {
  const at = moment === undefined ? lines.length - 1 : lines.findLastIndex(({ t }) => t <= moment)
  return lines.slice(Math.max(0, at - around.before), at + 1 + around.after)
}

/** How many events are read at once, so that other work can run in between. */
const batchSize = 250

/** The events of a recording on the clock of its run, in batches as its lines arrive. */
export async function* eventBatches(
  text: AsyncIterable<ReadonlyArray<string>>,
  startedAtMs: number
): AsyncGenerator<ReadonlyArray<TraceEvent>> {
  let last: TraceEvent | undefined
  for await (const lines of text) {
    for (let at = 0; at === 0 || at < lines.length; at += batchSize) {
      const batch: Array<TraceEvent> = []
      for (const line of lines.slice(at, at + batchSize)) {
        const event = parseEvent(line, last, startedAtMs)
        if (event === undefined) continue
        last = event
        batch.push(event)
      }
      yield batch
    }
  }
}

const fieldsText = (fields: TraceEvent["fields"]): string => {
  try {
    return Object.entries(fields)
      .map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`)
      .join(" ")
  } catch {
    // A value nested too deep to be written as JSON is not found by its text.
    return ""
  }
}

/** All that an event says, in lower case. */
export const searchedText = ({ fields, name, status, type }: TraceEvent): string =>
  `${type} ${name} ${status ?? ""} ${fieldsText(fields)}`.toLowerCase()

/** The words of what was typed. */
export const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "")

/** Whether every word occurs in a text of lower case. */
export const hasWords = (text: string, words: ReadonlyArray<string>): boolean =>
  words.every((word) => text.includes(word))
