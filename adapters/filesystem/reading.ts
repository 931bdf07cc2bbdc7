import { Effect, Stream } from "effect"
import type { Scope } from "effect"
import type { FileHandle } from "node:fs/promises"
import { Unavailable } from "../../core/model/Problem.ts"
import { attemptOrUnavailable } from "./attempt.ts"
import { close } from "./objectFile.ts"

const pieceBytes = 256 * 1024

/** `length` bytes of a file from `start`. */
const pieces = (handle: FileHandle, start: number, length: number): Stream.Stream<Uint8Array, Unavailable> =>
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

/**
 * Keeps files open from the moment an object is opened until its stream ends, fails or is interrupted: a file that is
 * open keeps its bytes, whatever becomes of its name.
 *
 * An object that is opened and never read would keep its file open for good. So no more than `atMost` may wait to be
 * read: the one that has waited longest is closed for a new one, and its stream answers `Unavailable`. What still waits
 * when the scope closes is closed with it.
 */
export const makeReading = (
  atMost: number
): Effect.Effect<
  (handle: FileHandle, start: number, length: number) => Effect.Effect<Stream.Stream<Uint8Array, Unavailable>>,
  never,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const waiting = new Set<FileHandle>()
    yield* Effect.addFinalizer(() => Effect.forEach(waiting, close, { discard: true }))

    const closeLongestWaiting = Effect.suspend(() => {
      const [longest] = waiting
      if (longest === undefined || waiting.size <= atMost) return Effect.void
      waiting.delete(longest)
      return Effect.andThen(Effect.logWarning("An object was opened and not read; its file was closed"), close(longest))
    })

    return Effect.fnUntraced(function* (handle, start, length) {
      waiting.add(handle)
      yield* closeLongestWaiting
      let begun = false
      const begin = Effect.suspend(() => {
        if (begun) return Effect.die(new Error("an opened object can be read once"))
        begun = true
        return waiting.delete(handle) ? Effect.succeed(handle) : Effect.fail(Unavailable.answer)
      })
      return Stream.unwrap(Effect.map(Effect.acquireRelease(begin, close), () => pieces(handle, start, length)))
    })
  })
