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
const pieceBytes = 2 ** 14

/** The bytes that have arrived in pieces so small that each is read at once. */
export function* piecesOf(chunk: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < chunk.byteLength; at += pieceBytes) yield chunk.subarray(at, at + pieceBytes)
}

/** Reads the lines of a text in UTF-8 as its bytes arrive. */
export interface LineReader {
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
