/**
 * The format of an object's file: one line of JSON that describes the object, then its bytes unchanged. The digest is
 * known only after the bytes are written, so until then the line ends in as many spaces as the digest takes.
 *
 *     {"v":1,"contentType":"text/javascript","contentEncoding":"gzip","sizeBytes":48213,"contentHash":"2c26b46b68ff…"}
 */
import { Effect, Exit, Schema, type Scope } from "effect"
import { closeSync, constants, fstatSync, open, read } from "node:fs"
import { promisify } from "node:util"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { IncomingObject } from "../signed-urls/ObjectSink.ts"
import { attempt, type FileError } from "./attempt.ts"

const Header = Schema.fromJsonString(
  Schema.Struct({
    v: Schema.Literal(1),
    contentType: Schema.String,
    contentEncoding: Schema.optionalKey(Schema.String),
    sizeBytes: Schema.Int,
    contentHash: Schema.optionalKey(Schema.String)
  })
)
const encode = Schema.encodeSync(Header)
const decode = Schema.decodeUnknownExit(Header)

/** Long enough for every allowed content type and encoding, and short enough for one read of the disk. */
const longestHeader = 4096
const newline = 0x0a

/** A placeholder of a digest's length. */
const anyHash = "0".repeat(64)

/** The line before an object's bytes. Its length is the same with and without the digest. */
export const headerOf = (object: Omit<IncomingObject, "key">, contentHash?: string): Uint8Array => {
  const { contentEncoding, contentType, sizeBytes } = object
  const facts = withoutUndefined({ v: 1 as const, contentType, contentEncoding, sizeBytes })
  const { length } = encode({ ...facts, contentHash: anyHash })
  const json = encode(contentHash === undefined ? facts : { ...facts, contentHash })
  const line = Buffer.from(`${json.padEnd(length)}\n`)
  if (line.byteLength > longestHeader) throw new RangeError("the content type or encoding of an object is too long")
  return line
}

const [openFile, readFile] = [promisify(open), promisify(read)]

/** The file of an object, open for reading. */
export interface ObjectFile {
  /** The number by which the system knows the open file. */
  readonly fd: number
  /** The offset of the object's bytes. */
  readonly start: number
  readonly sizeBytes: number
  readonly contentType: string
  readonly contentEncoding?: string
  readonly contentHash?: string
}

/**
 * Reads a part of an open file into a buffer. It isn't interrupted: the file may be closed only after it, and its number then
 * belongs to another one.
 */
export const readInto = (fd: number, buffer: Buffer, position: number): Effect.Effect<number, FileError> =>
  Effect.uninterruptible(
    Effect.map(
      attempt(() => readFile(fd, buffer, 0, buffer.byteLength, position)),
      ({ bytesRead }) => bytesRead
    )
  )

const inspect = Effect.fnUntraced(function* (fd: number) {
  const buffer = Buffer.allocUnsafe(longestHeader)
  const beginning = buffer.subarray(0, yield* readInto(fd, buffer, 0))
  const end = beginning.indexOf(newline)
  const header = decode(beginning.toString("utf8", 0, Math.max(end, 0)))
  if (Exit.isFailure(header)) return undefined
  const { v: _, ...facts } = header.value
  const file: ObjectFile = { fd, start: end + 1, ...facts }
  // The system has the size of an open file in memory, so it is asked here and not by the detour over another thread.
  const { size } = yield* attempt(async () => fstatSync(fd))
  return size === file.start + file.sizeBytes ? file : undefined
})

/**
 * Opens the file of an object until the scope closes. An incomplete file holds no object: that is logged, and the
 * answer is `undefined`.
 */
export const openObjectFile = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ObjectFile | undefined, FileError, Scope.Scope> {
  const fd = yield* Effect.acquireRelease(
    attempt(() => openFile(path, constants.O_RDONLY | constants.O_NOFOLLOW)),
    // Nothing waits to be written, so this doesn't wait for the disk. A failure to close changes nothing.
    (fd) => Effect.ignore(attempt(async () => closeSync(fd)))
  )
  const file = yield* inspect(fd)
  if (file === undefined) yield* Effect.logWarning("A file among the objects holds no whole object", path)
  return file
})
