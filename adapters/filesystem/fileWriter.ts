import { Effect, type Scope } from "effect"
import { open, type FileHandle } from "node:fs/promises"
import { attempt, type FileError } from "./attempt.ts"
import { bufferPool } from "./bufferPool.ts"

/** How many bytes one system call writes. Each call runs in another thread. */
const writtenAtOnce = 256 * 1024

const buffers = bufferPool(writtenAtOnce)

/** A new file, written from its beginning to its end. */
export interface FileWriter {
  /**
   * Appends chunks. Small ones are copied: if the pieces that a socket gives waited for the disk, they would be collected
   * late, and many of them would fill the memory.
   */
  readonly append: (chunks: Iterable<Uint8Array>) => Effect.Effect<void, FileError>
  /** Writes a line of the same length in place of the first one, and forces the whole file to the disk. */
  readonly finish: (firstLine: Uint8Array) => Effect.Effect<void, FileError>
}

const writeAll = async (file: FileHandle, bytes: Uint8Array, position: number): Promise<void> => {
  for (let at = 0; at < bytes.byteLength;) {
    at += (await file.write(bytes, at, bytes.byteLength - at, position + at)).bytesWritten
  }
}

/** Fills one buffer while the other one is written; of many uploads at once, each has one buffer only. */
const writerOf = (file: FileHandle) => {
  let filling = buffers.acquire()
  let spare: Buffer | undefined
  let [filled, written] = [0, 0]
  let writing = Promise.resolve()

  const write = async () => {
    await writing
    writing = writeAll(file, filling.subarray(0, filled), written)
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
      if (filled + chunk.byteLength > writtenAtOnce) await write()
      if (chunk.byteLength > writtenAtOnce) {
        await writing
        await writeAll(file, chunk, written)
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
    if (!isBuffered) await writeAll(file, firstLine, 0)
    await file.sync()
  }
  const release = async () => {
    // A write that was begun still reads its buffer.
    await writing.catch(() => {})
    buffers.release(filling)
    if (spare !== undefined) buffers.release(spare)
  }

  // An interrupted call would continue to use buffers that another writer has by then.
  const whole = (call: () => Promise<void>) => Effect.uninterruptible(attempt(call))
  const writer: FileWriter = {
    append: (chunks) => whole(() => append(chunks)),
    finish: (firstLine) => whole(() => finish(firstLine))
  }
  return { writer, release }
}

/** Makes a new file that other users can't read, to be written until the scope closes. */
export const writeNewFile = Effect.fnUntraced(function* (
  path: string
): Effect.fn.Return<FileWriter, FileError, Scope.Scope> {
  const file = yield* Effect.acquireRelease(
    attempt(() => open(path, "wx", 0o600)),
    // What matters of the file was forced to the disk before. A failure to close changes nothing.
    (file) => Effect.ignore(attempt(() => file.close()))
  )
  const { writer } = yield* Effect.acquireRelease(
    Effect.sync(() => writerOf(file)),
    ({ release }) => Effect.promise(release)
  )
  return writer
})
