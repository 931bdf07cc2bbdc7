/** The bytes of recordings, read as they are sent. Of a text, the secrets are hidden line by line. */
import { createHash } from "node:crypto"
import { closeSync, fstatSync, openSync, readSync } from "node:fs"
import type { Body } from "../../client/index.ts"
import type { Mask } from "./mask.ts"

/** A line that is longer is sent in parts: a log may be one line of gigabytes. */
const longest = 2 ** 20

/** So much of a part waits for the next one: a secret may have begun in it. */
const waiting = 2 ** 16

const readBytes = 256 * 1024

/**
 * Reads a file into the same memory again and again, which is no larger than the file. It blocks: most recordings are small, and
 * to wait for a thread that opens, reads and closes takes several times as long as the work.
 */
function* fileChunks(path: string): Generator<Uint8Array> {
  const file = openSync(path, "r")
  try {
    const memory = new Uint8Array(Math.min(readBytes, fstatSync(file).size + 1))
    for (;;) {
      const length = readSync(file, memory)
      if (length === 0) return
      yield memory.subarray(0, length)
    }
  } finally {
    closeSync(file)
  }
}

/** So much of a file shows whether it is a text. */
const shownBytes = 8192

const beginningOf = (path: string): Uint8Array => {
  const file = openSync(path, "r")
  try {
    const memory = new Uint8Array(shownBytes)
    return memory.subarray(0, readSync(file, memory))
  } finally {
    closeSync(file)
  }
}

const encodingOf = ([first, second]: Uint8Array): "utf-8" | "utf-16le" | "utf-16be" =>
  first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8"

/** Whether a file is a text by its bytes, whatever it is called. */
export const looksText = (path: string): boolean => {
  const bytes = beginningOf(path)
  if (encodingOf(bytes) !== "utf-8") return true
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: true })
    return !text.includes("\0")
  } catch {
    // Of one byte a character, as Windows writes it.
    // oxlint-disable-next-line no-control-regex
    return !/[\0-\x08\x0e-\x1a\x1c-\x1f]/.test(Buffer.from(bytes).toString("latin1"))
  }
}

function* masked(path: string, mask: Mask): Generator<Uint8Array> {
  const decoder = new TextDecoder(encodingOf(beginningOf(path)), { ignoreBOM: true })
  let rest = ""
  for (const chunk of fileChunks(path)) {
    const text = rest + decoder.decode(chunk, { stream: true })
    const end = text.lastIndexOf("\n") + 1
    if (end > 0) {
      yield Buffer.from(mask.text(text.slice(0, end)))
      rest = text.slice(end)
    } else if (text.length > longest) {
      const line = mask.text(text)
      yield Buffer.from(line.slice(0, -waiting))
      rest = line.slice(-waiting)
    } else rest = text
  }
  const last = rest + decoder.decode()
  if (last !== "") yield Buffer.from(mask.text(last))
}

type Open = () => Iterable<Uint8Array>

/** Where the bytes of a recording are: in a file, which is read when it is sent, or in a text. */
export interface BytesToSend {
  readonly from: { readonly path: string; readonly isMasked: boolean } | { readonly text: string }
}

/** Opens the bytes of a recording again at each call. */
export const bytesOf = ({ from }: BytesToSend, mask: Mask): Open => {
  if ("text" in from) {
    return () => [Buffer.from(from.text)]
  }
  return from.isMasked ? () => masked(from.path, mask) : () => fileChunks(from.path)
}

/** The bytes of a body that is not larger are kept until it is sent. */
const mostKept = 2 ** 18

/** How many bytes there are, their SHA-256, and the same bytes again. */
export const measure = (
  open: Open
): { readonly sizeBytes: number; readonly contentHash: string; readonly body: Body } => {
  const hash = createHash("sha256")
  const kept: Array<Uint8Array> = []
  let sizeBytes = 0
  for (const chunk of open()) {
    hash.update(chunk)
    sizeBytes += chunk.byteLength
    if (sizeBytes <= mostKept) kept.push(chunk.slice())
  }
  const again = async function* () {
    yield* open()
  }
  return { sizeBytes, contentHash: hash.digest("hex"), body: sizeBytes <= mostKept ? Buffer.concat(kept) : again }
}
