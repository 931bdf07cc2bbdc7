import { Effect, Stream } from "effect"
import { withPieces, type EachPiece } from "../../core/ports/pieces.ts"
import { FileError } from "./attempt.ts"
import { bufferPool } from "./bufferPool.ts"
import { readInto, type ObjectFile } from "./objectFile.ts"

/** How many bytes one system call reads. Each call runs in another thread. */
const pieceBytes = 256 * 1024

const buffers = bufferPool(pieceBytes)

/** Fills a buffer from a file, as far as one read does. */
const read = (fd: number, into: Buffer, at: number): Effect.Effect<Buffer, FileError> =>
  Effect.flatMap(readInto(fd, into, at), (bytesRead) =>
    bytesRead === 0
      ? Effect.fail(new FileError({ code: "EOF", cause: "The file of an object ended before the object was whole" }))
      : Effect.succeed(into.subarray(0, bytesRead))
  )

/**
 * Reads all pieces into the same buffer. New memory for each piece would cost as much as the reading.
 */
const eachPiece = (fd: number, start: number, end: number): EachPiece<FileError> =>
  Effect.fnUntraced(function* (take) {
    const buffer = buffers.acquire()
    for (let at = start; at < end;) {
      const piece = yield* read(fd, buffer.subarray(0, end - at), at)
      yield* take(piece)
      at += piece.byteLength
    }
    // After a failure or an interruption somebody may still read the buffer, so it isn't given to another reader.
    buffers.release(buffer)
  })

/**
 * `length` bytes of an object's content from `offset`. An open file keeps its bytes even when its name is removed or reused.
 */
export const pieces = (file: ObjectFile, offset: number, length: number): Stream.Stream<Uint8Array, FileError> => {
  const start = file.start + offset
  const end = start + length
  const stream = Stream.unfold(start, (at) =>
    at === end
      ? Effect.undefined
      : Effect.map(
          read(file.fd, Buffer.allocUnsafeSlow(Math.min(pieceBytes, end - at)), at),
          (piece) => [piece, at + piece.byteLength] as const
        )
  )
  return withPieces(stream, eachPiece(file.fd, start, end))
}
