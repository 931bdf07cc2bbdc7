/**
 * The format of an object's file: one line of JSON that describes the object, then its bytes unchanged. The digest is
 * known only after the bytes are written, so until then the line ends in as many spaces as the digest takes.
 *
 *     {"v":1,"contentType":"text/javascript","contentEncoding":"gzip","sizeBytes":48213,"contentHash":"2c26b46b68ff…"}
 */
import { Effect, Exit, Schema, type Scope } from "effect"
import { constants, open, type FileHandle } from "node:fs/promises"
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

/** The file of an object, open for reading. */
export interface ObjectFile {
  readonly handle: FileHandle
  /** The offset of the object's bytes. */
  readonly start: number
  readonly sizeBytes: number
  readonly contentType: string
  readonly contentEncoding?: string
  readonly contentHash?: string
}

const inspect = Effect.fnUntraced(function* (handle: FileHandle) {
  const { buffer, bytesRead } = yield* attempt(() => handle.read(Buffer.alloc(longestHeader), 0, longestHeader, 0))
  const end = buffer.subarray(0, bytesRead).indexOf(newline)
  const header = decode(buffer.toString("utf8", 0, Math.max(end, 0)))
  if (Exit.isFailure(header)) return undefined
  const { v: _, ...facts } = header.value
  const file: ObjectFile = { handle, start: end + 1, ...facts }
  const { size } = yield* attempt(() => handle.stat())
  return size === file.start + file.sizeBytes ? file : undefined
})

/** Closes a file after reading. A failure to close changes nothing. */
export const close = (handle: FileHandle): Effect.Effect<void> => Effect.ignore(attempt(() => handle.close()))

/**
 * Opens the file of an object until the scope closes. An incomplete file holds no object: that is logged, and the
 * answer is `undefined`.
 */
export const openObjectFile = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ObjectFile | undefined, FileError, Scope.Scope> {
  const handle = yield* Effect.acquireRelease(
    attempt(() => open(path, constants.O_RDONLY | constants.O_NOFOLLOW)),
    close
  )
  const file = yield* inspect(handle)
  if (file === undefined) yield* Effect.logWarning("A file among the objects holds no whole object", path)
  return file
})
