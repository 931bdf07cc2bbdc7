import { Effect, Stream } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import { Gunzip } from "../ports/Gunzip.ts"
import type { OpenObject } from "../ports/ObjectStore.ts"
import { Sha256 } from "../ports/Sha256.ts"
import { decompressesToMore, isGzip } from "../rules/verification.ts"

/** How much may be decompressed: one budget for all the objects of an attempt to finalize. */
export interface DecompressionBudget {
  readonly bytes: number
  /** How much was decompressed so far; more than `bytes` where it was stopped. */
  used: number
}

/** A budget that nothing was taken from yet. */
export const decompressionBudget = (bytes: number): DecompressionBudget => ({ bytes, used: 0 })

/** Whether it was stopped for being too much. */
export const isUsedUp = ({ bytes, used }: DecompressionBudget): boolean => used > bytes

/** The budget is used up. */
class TooMuch {
  readonly _tag = "TooMuch"
}

/** What is hashed in one turn of the event loop: some milliseconds of it at most, however large the chunks come. */
const pieceBytes = 1024 ** 2

/** Hashes a chunk piece by piece, and lets other fibers run in between. */
const hashInTurns = (chunk: Uint8Array, update: (bytes: Uint8Array) => void) =>
  Effect.gen(function* () {
    for (let at = 0; at < chunk.byteLength; at += pieceBytes) {
      if (at > 0) yield* Effect.yieldNow
      update(chunk.subarray(at, at + pieceBytes))
    }
  })

/**
 * The SHA-256 of an object's uncompressed bytes, in lower-case hex. Gzip content is decompressed as a stream and never
 * past the budget; where that stops, or the content is no gzip, the answer says so in place of the digest. With a budget
 * that is used up nothing of it is read.
 */
export const contentDigest = Effect.fn("contentDigest")(function* (
  object: OpenObject,
  budget: DecompressionBudget
): Effect.fn.Return<string, Unavailable> {
  const hasher = (yield* Sha256)()
  const gunzip = yield* Gunzip
  const plain = Stream.runForEach(object.stream, (chunk) => hashInTurns(chunk, hasher.update))
  const decompressed = Effect.suspend(() =>
    isUsedUp(budget)
      ? Effect.fail(new TooMuch())
      : Stream.runForEach(gunzip(object.stream), (chunk) => {
          budget.used += chunk.byteLength
          return isUsedUp(budget) ? Effect.fail(new TooMuch()) : hashInTurns(chunk, hasher.update)
        })
  )
  return yield* (isGzip(object.contentType, object.contentEncoding) ? decompressed : plain).pipe(
    Effect.map(() => hasher.digest()),
    Effect.catchTags({
      TooMuch: () => Effect.succeed(decompressesToMore(budget.bytes)),
      NotGzip: () => Effect.succeed("not valid gzip")
    })
  )
})
