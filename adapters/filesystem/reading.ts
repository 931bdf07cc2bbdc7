import { Effect, Stream } from "effect"
import type { FileHandle } from "node:fs/promises"
import { Unavailable } from "../../core/model/Problem.ts"
import { attemptOrUnavailable } from "./attempt.ts"

const pieceBytes = 256 * 1024

/**
 * `length` bytes of an open file from `start`. A file that is open keeps its bytes, whatever becomes of its name.
 */
export const pieces = (handle: FileHandle, start: number, length: number): Stream.Stream<Uint8Array, Unavailable> =>
  Stream.unfold(0, (at) =>
    at === length
      ? Effect.undefined
      : Effect.gen(function* () {
          const wanted = Math.min(pieceBytes, length - at)
          const piece = Buffer.allocUnsafeSlow(wanted)
          const { bytesRead } = yield* attemptOrUnavailable(() => handle.read(piece, 0, wanted, start + at))
          if (bytesRead === 0) {
            yield* Effect.logError("The file of an object ended before the object was whole")
            return yield* Unavailable.answer
          }
          return [piece.subarray(0, bytesRead), at + bytesRead] as const
        })
  )
