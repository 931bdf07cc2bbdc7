import { Data, Effect, Predicate, Schema, Stream, type Scope } from "effect"
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  open as openDescriptor,
  read as readDescriptor,
  write as writeDescriptor
} from "node:fs"
import { promisify } from "node:util"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { IncomingObject } from "../signed-urls/SignedUrls.ts"
import { withChunks, type EachChunk } from "../../core/ports/HostServices.ts"

/** The system refused a file operation; `code` is its error code, such as `ENOENT`. */
export class FileError extends Data.TaggedError("FileError")<{ readonly code: string; readonly cause: unknown }> {}

/** The code of an error of the system. */
export const codeOf = (cause: unknown): string | undefined =>
  Predicate.hasProperty(cause, "syscall") && Predicate.hasProperty(cause, "code") && Predicate.isString(cause.code)
    ? cause.code
    : undefined

/** Runs a file operation. A refusal of the system becomes a `FileError`, any other error a defect. */
export const attempt = <A>(call: () => Promise<A>): Effect.Effect<A, FileError> =>
  Effect.tryPromise({
    try: call,
    catch: (cause) => {
      const code = codeOf(cause)
      if (code === undefined) throw cause
      return new FileError({ code, cause })
    }
  })

/** The codes of errors about a missing file or folder. */
export const isMissingCode = (code: string | undefined): boolean => code === "ENOENT" || code === "ENOTDIR"

/** Whether no file has that name, or a folder on the way is a file. */
export const isMissing = (error: FileError): boolean => isMissingCode(error.code)

/** Whether the disk or the user's quota has no room. */
export const isFull = (error: FileError): boolean => error.code === "ENOSPC" || error.code === "EDQUOT"

/** A pool of buffers of one size, so that large transfers leave no garbage. */
interface BufferPool {
  /** A buffer with any content. */
  readonly acquire: () => Buffer
  /** Another buffer, for a caller that works without it; `undefined` if many are in use. */
  readonly acquireSpare: () => Buffer | undefined
  /** Returns a buffer to the pool. */
  readonly release: (buffer: Buffer) => void
}

/** How many unused buffers the pool keeps. */
const maxUnused = 16

/** How many may be in use before no spare one is given. */
const spareLimit = 32

/** A pool of buffers of this many bytes. */
export const bufferPool = (bytes: number): BufferPool => {
  const unused: Array<Buffer> = []
  let inUse = 0
  const acquire = () => {
    inUse += 1
    return unused.pop() ?? Buffer.allocUnsafeSlow(bytes)
  }
  return {
    acquire,
    acquireSpare: () => (inUse < spareLimit ? acquire() : undefined),
    release: (buffer) => {
      inUse -= 1
      if (unused.length < maxUnused) unused.push(buffer)
    }
  }
}

// The format of an object's file: one line of JSON that describes the object, then its bytes unchanged. The digest is
// known only after the bytes are written, so until then the line ends in as many spaces as the digest takes.
//
//    {"v":1,"contentType":"text/javascript","contentEncoding":"gzip","sizeBytes":48213,"contentHash":"2c26b46b68ff…"}
//
// If a proxy sends the bytes, they are alone in a second file, and the line has its id: `"data":"6f1c…"`.

const Header = Schema.Struct({
  v: Schema.Literal(1),
  contentType: Schema.String,
  contentEncoding: Schema.optionalKey(Schema.String),
  sizeBytes: Schema.Int,
  contentHash: Schema.optionalKey(Schema.String),
  data: Schema.optionalKey(Schema.String.check(Schema.isUUID()))
})
const isHeader = Schema.is(Header)

/** Reads the line before an object's bytes. `undefined` if it is none. */
const decode = (line: string): typeof Header.Type | undefined => {
  try {
    const parsed: unknown = JSON.parse(line)
    return isHeader(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

/** Long enough for every allowed content type and encoding, and short enough for one read of the disk. */
export const longestHeader = 4096
const newline = 0x0a

/** A placeholder of a digest's length. */
const anyHash = "0".repeat(64)

/** The line before an object's bytes. Its length is the same with and without the digest. */
export const headerOf = (object: Omit<IncomingObject, "key">, contentHash?: string, data?: string): Uint8Array => {
  const { contentEncoding, contentType, sizeBytes } = object
  const facts = withoutUndefined({ v: 1 as const, contentType, contentEncoding, sizeBytes, data })
  const { length } = JSON.stringify({ ...facts, contentHash: anyHash })
  const json = JSON.stringify(contentHash === undefined ? facts : { ...facts, contentHash })
  const line = Buffer.from(`${json.padEnd(length)}\n`)
  if (line.byteLength > longestHeader) throw new RangeError("the content type or encoding of an object is too long")
  return line
}

const [openFile, readFile, writeFile] = [
  promisify(openDescriptor),
  promisify(readDescriptor),
  promisify(writeDescriptor)
]

/** Forces what was written to a file or folder to the disk. */
export const forceToDisk = promisify(fsync)

/** The end of the name of an object's file. */
export const objectEnd = ",object"

/** The file with the bytes of an object, beside the object's file. */
export const dataFileOf = (objectFile: string, id: string): string =>
  `${objectFile.slice(0, -objectEnd.length)},${id},data`

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
  /** The id of the file with the bytes, if they are alone in a file. */
  readonly data?: string
}

/**
 * Reads a part of an open file into a buffer. It isn't interrupted: the file may be closed only after it, and its number then
 * belongs to another one.
 */
const readInto = (fd: number, buffer: Buffer, position: number): Effect.Effect<number, FileError> =>
  Effect.uninterruptible(
    Effect.map(
      attempt(() => readFile(fd, buffer, 0, buffer.byteLength, position)),
      ({ bytesRead }) => bytesRead
    )
  )

/** A descriptor that is closed with the scope. Nothing waits to be written, so this doesn't wait for the disk; a failure to close changes nothing. */
const openToRead = (path: string) =>
  Effect.acquireRelease(
    attempt(async () => ({ fd: await openFile(path, flagsToRead) })),
    ({ fd }) => Effect.ignore(attempt(async () => closeSync(fd)))
  )

const flagsToRead = constants.O_RDONLY | constants.O_NOFOLLOW

/** The line before an object's bytes and the offset after it. */
const readHeader = Effect.fnUntraced(function* (fd: number) {
  const buffer = Buffer.allocUnsafe(longestHeader)
  const beginning = buffer.subarray(0, yield* readInto(fd, buffer, 0))
  const end = beginning.indexOf(newline)
  const header = decode(beginning.toString("utf8", 0, Math.max(end, 0)))
  return header && { header, start: end + 1 }
})

/** In place of an id: the file doesn't describe an object. */
export const unreadable = "unreadable"

/** The id of the file with an object's bytes; `undefined` if they are in the object's own file. */
export const dataIdOf = (path: string): Effect.Effect<string | undefined, FileError> =>
  Effect.scoped(
    Effect.map(
      Effect.flatMap(openToRead(path), ({ fd }) => readHeader(fd)),
      (read) => (read === undefined ? unreadable : read.header.data)
    )
  )

/** Opens the file of an object, or that of its bytes. `missing` is the id of a file that was just missing. */
const openBytes = Effect.fnUntraced(function* (
  path: string,
  missing?: string
): Effect.fn.Return<ObjectFile | undefined, FileError, Scope.Scope> {
  const opened = yield* openToRead(path)
  const read = yield* readHeader(opened.fd)
  if (read === undefined) return undefined
  const { data, v: _, ...facts } = read.header
  if (data !== undefined) {
    const isThere = yield* attempt(async () => {
      const fd = await openFile(dataFileOf(path, data), flagsToRead)
      closeSync(opened.fd)
      opened.fd = fd
    }).pipe(
      Effect.as(true),
      Effect.catchIf(isMissing, () => Effect.succeed(false)),
      Effect.uninterruptible
    )
    // The object may have been replaced between the two calls.
    if (!isThere) return data === missing ? undefined : yield* openBytes(path, data)
  }
  const start = data === undefined ? read.start : 0
  const file: ObjectFile = { fd: opened.fd, start, ...facts, ...withoutUndefined({ data }) }
  // The system has the size of an open file in memory, so it is asked here and not by the detour over another thread.
  const { size } = yield* attempt(async () => fstatSync(file.fd))
  return size === start + file.sizeBytes ? file : undefined
})

/**
 * Opens the file of an object until the scope closes. An incomplete file holds no object: that is logged, and the
 * answer is `undefined`.
 */
export const openObjectFile = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<ObjectFile | undefined, FileError, Scope.Scope> {
  const file = yield* openBytes(path)
  if (file === undefined) yield* Effect.logWarning("A file among the objects holds no whole object", path)
  return file
})

/** How many bytes one system call writes. Each call runs in another thread. */
const writeBatchBytes = 256 * 1024

const buffers = bufferPool(writeBatchBytes)

/** A new file, written from its beginning to its end. */
interface FileWriter {
  /**
   * Appends chunks. Small ones are copied: if the chunks that a socket gives waited for the disk, they would be collected
   * late, and many of them would fill the memory.
   */
  readonly append: (chunks: Iterable<Uint8Array>) => Effect.Effect<void, FileError>
  /** Writes a line of the same length in place of the first one, and forces the whole file to the disk. */
  readonly finish: (firstLine: Uint8Array) => Effect.Effect<void, FileError>
}

const writeAll = async (fd: number, bytes: Uint8Array, position: number): Promise<void> => {
  for (let at = 0; at < bytes.byteLength;) {
    at += (await writeFile(fd, bytes, at, bytes.byteLength - at, position + at)).bytesWritten
  }
}

/** Fills one buffer while the other one is written; of many uploads at once, each has one buffer only. */
const writerOf = (fd: number, firstLine: Uint8Array) => {
  let filling = buffers.acquire()
  let spare: Buffer | undefined
  filling.set(firstLine)
  let [filled, written] = [firstLine.byteLength, 0]
  let writing = Promise.resolve()

  const write = async () => {
    await writing
    writing = writeAll(fd, filling.subarray(0, filled), written)
    // The next caller that awaits it gets the failure. This handler prevents an unhandled rejection until then.
    writing.catch(() => {})
    written += filled
    filled = 0
    spare ??= buffers.acquireSpare()
    if (spare === undefined) await writing
    else [filling, spare] = [spare, filling]
  }
  const append = async (chunks: Iterable<Uint8Array>) => {
    for (const chunk of chunks) {
      if (filled + chunk.byteLength > writeBatchBytes) await write()
      if (chunk.byteLength > writeBatchBytes) {
        await writing
        await writeAll(fd, chunk, written)
        written += chunk.byteLength
      } else {
        filling.set(chunk, filled)
        filled += chunk.byteLength
      }
    }
  }
  const finish = async (firstLine: Uint8Array) => {
    const isBuffered = written === 0
    if (isBuffered) filling.set(firstLine)
    await write()
    await writing
    if (!isBuffered) await writeAll(fd, firstLine, 0)
    await forceToDisk(fd)
  }
  const release = async () => {
    // A write that was begun still reads its buffer.
    await writing.catch(() => {})
    buffers.release(filling)
    if (spare !== undefined) buffers.release(spare)
    // What matters of the file was forced to the disk before, so this doesn't wait for it. A failure to close changes nothing.
    closeSync(fd)
  }

  // An interrupted call would continue to use buffers that another writer has by then.
  const whole = (call: () => Promise<void>) => Effect.uninterruptible(attempt(call))
  const writer: FileWriter = {
    append: (chunks) => whole(() => append(chunks)),
    finish: (firstLine) => whole(() => finish(firstLine))
  }
  return { writer, release }
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL

const openNew = async (path: string, isForGroup: boolean): Promise<number> => {
  const fd = await openFile(path, newFile, 0o600)
  // The umask of the process would take the right away.
  if (isForGroup) fchmodSync(fd, 0o640)
  return fd
}

/**
 * Makes a new file that begins with a line, to be written until the scope closes. Other users can't read it, except for those of
 * its group if `isForGroup` is true.
 */
export const writeNewFile = Effect.fnUntraced(function* (
  path: string,
  firstLine: Uint8Array,
  isForGroup = false
): Effect.fn.Return<FileWriter, FileError, Scope.Scope> {
  const { writer } = yield* Effect.acquireRelease(
    attempt(async () => writerOf(await openNew(path, isForGroup), firstLine)),
    ({ release }) => Effect.ignore(attempt(release))
  )
  return writer
})

/** How many bytes one system call reads. Each call runs in another thread. */
const chunkBytes = 256 * 1024

const chunkBuffers = bufferPool(chunkBytes)

/** Fills a buffer from a file, as far as one read does. */
const readChunk = (fd: number, into: Buffer, at: number): Effect.Effect<Buffer, FileError> =>
  Effect.flatMap(readInto(fd, into, at), (bytesRead) =>
    bytesRead === 0
      ? Effect.fail(new FileError({ code: "EOF", cause: "The file of an object ended before the object was whole" }))
      : Effect.succeed(into.subarray(0, bytesRead))
  )

/**
 * Reads all chunks into the same buffer. New memory for each chunk would cost as much as the reading.
 */
const eachChunk = (fd: number, start: number, end: number): EachChunk<FileError> =>
  Effect.fnUntraced(function* (take) {
    const buffer = chunkBuffers.acquire()
    for (let at = start; at < end;) {
      const piece = yield* readChunk(fd, buffer.subarray(0, end - at), at)
      yield* take(piece)
      at += piece.byteLength
    }
    // After a failure or an interruption somebody may still read the buffer, so it isn't given to another reader.
    chunkBuffers.release(buffer)
  })

/**
 * `length` bytes of an object's content from `offset`. An open file keeps its bytes even when its name is removed or reused.
 */
export const streamChunks = (
  file: ObjectFile,
  offset: number,
  length: number
): Stream.Stream<Uint8Array, FileError> => {
  const start = file.start + offset
  const end = start + length
  const stream = Stream.unfold(start, (at) =>
    at === end
      ? Effect.undefined
      : Effect.map(
          readChunk(file.fd, Buffer.allocUnsafeSlow(Math.min(chunkBytes, end - at)), at),
          (piece) => [piece, at + piece.byteLength] as const
        )
  )
  return withChunks(stream, eachChunk(file.fd, start, end))
}
