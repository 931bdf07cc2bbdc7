import { Data, Effect, Stream } from "effect"
import { Gunzip, type NotGzip } from "../ports/Gunzip.ts"
import { runPieces } from "../ports/pieces.ts"
import { Sha256 } from "../ports/Sha256.ts"
import { isGzip } from "../rules/verification.ts"
import type { DecompressionBudget } from "./decompressionBudget.ts"

/** The decompressed content exceeds the budget. */
export class OverBudget extends Data.TaggedError("OverBudget") {}

/** Content to hash: its bytes as sent, and the headers that determine whether they are gzip. */
export interface DigestedContent<E> {
  readonly contentType: string
  readonly contentEncoding?: string
  readonly stream: Stream.Stream<Uint8Array, E>
}

/**
 * How many bytes are hashed in one turn of the event loop, which takes a few milliseconds, however large the chunks
 * are.
 */
const pieceBytes = 1024 ** 2

/** Hashes a chunk piece by piece, so that other fibers run in between. */
export const hashYielding = (chunk: Uint8Array, update: (bytes: Uint8Array) => void): Effect.Effect<void> =>
  Effect.suspend(() => {
    update(chunk.subarray(0, pieceBytes))
    return chunk.byteLength <= pieceBytes
      ? Effect.void
      : Effect.andThen(Effect.yieldNow, hashYielding(chunk.subarray(pieceBytes), update))
  })

/**
 * The SHA-256 of the uncompressed bytes of some content, in lower-case hex. Gzip is decompressed as a stream and never past
 * the budget: there it stops with `OverBudget`, and with `NotGzip` at what is no gzip. With a budget that is used up nothing
 * of it is read. `withPermit` wraps each piece of work on decompressed bytes.
 */
export const contentDigest = Effect.fn("contentDigest")(function* <E>(
  { contentEncoding, contentType, stream }: DigestedContent<E>,
  budget: DecompressionBudget,
  withPermit: (work: Effect.Effect<void>) => Effect.Effect<void> = (work) => work
): Effect.fn.Return<string, E | NotGzip | OverBudget> {
  const hasher = (yield* Sha256)()
  const gunzip = yield* Gunzip
  if (!isGzip(contentType, contentEncoding)) {
    yield* runPieces(stream, (piece) => hashYielding(piece, hasher.update))
    return hasher.digest()
  }
  if (budget.isUsedUp()) return yield* new OverBudget()
  yield* Stream.runForEach(gunzip(stream), (chunk) =>
    budget.spend(chunk.byteLength) ? withPermit(hashYielding(chunk, hasher.update)) : Effect.fail(new OverBudget())
  )
  return hasher.digest()
})
