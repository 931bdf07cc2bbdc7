import { Effect, Stream } from "effect"
import type { FileHandle } from "node:fs/promises"
import { attempt, FileError } from "./attempt.ts"

const pieceBytes = 256 * 1024

/**
 * `length` bytes of an open file from `start`. An open file keeps its bytes even when its name is removed or reused.
 */
export const pieces = (handle: FileHandle, start: number, length: number): Stream.Stream<Uint8Array, FileError> =>
  Stream.unfold(0, (at) =>
    at === length
      ? Effect.undefined
      : Effect.gen(function* () {
          const wanted = Math.min(pieceBytes, length - at)
          const piece = Buffer.allocUnsafeSlow(wanted)
          const { bytesRead } = yield* attempt(() => handle.read(piece, 0, wanted, start + at))
          if (bytesRead === 0) {
            return yield* new FileError({
              code: "EOF",
              cause: "The file of an object ended before the object was whole"
            })
          }
          return [piece.subarray(0, bytesRead), at + bytesRead] as const
        })
  )
