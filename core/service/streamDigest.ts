import { Effect, Fiber, Option, Queue, Stream, type Cause, type Scope } from "effect"
import { Sha256 } from "../ports/Sha256.ts"
import { isGzip } from "../rules/verification.ts"
import { contentDigest, hashYielding, type DigestedContent } from "./contentDigest.ts"
import type { DecompressionBudget } from "./decompressionBudget.ts"

/** Hashes content while it passes on its way to a store. */
export interface StreamDigest {
  /** The same bytes, hashed as they are read; it ends once all are hashed. For one stream only. */
  readonly passThrough: <E>(bytes: Stream.Stream<Uint8Array, E>) => Stream.Stream<Uint8Array, E>
  /**
   * The digest of the content, after the stream has ended: of the uncompressed bytes, as in `contentDigest`. `undefined` if it
   * exceeds the budget, or if content that was declared as gzip isn't gzip.
   */
  readonly digest: Effect.Effect<string | undefined>
}

const ofPlain = Effect.gen(function* () {
  const hasher = (yield* Sha256)()
  const digest: StreamDigest = {
    // Chunks that arrive together are passed on together, which is much less work than one by one.
    passThrough: Stream.mapArrayEffect((chunks) =>
      Effect.as(
        Effect.forEach(chunks, (chunk) => hashYielding(chunk, hasher.update), { discard: true }),
        chunks
      )
    ),
    digest: Effect.sync(hasher.digest)
  }
  return digest
})

/** Passes chunks to a second reader, and slows down the first one while the second has more than one chunk left. */
const ofGzip = Effect.fnUntraced(function* (
  content: Omit<DigestedContent<never>, "stream">,
  budget: DecompressionBudget,
  withPermit: (work: Effect.Effect<void>) => Effect.Effect<void>
) {
  const chunks = yield* Queue.bounded<Uint8Array, Cause.Done>(1)
  const digesting = yield* contentDigest({ ...content, stream: Stream.fromQueue(chunks) }, budget, withPermit).pipe(
    Effect.option,
    // If the second reader stops, the first one continues without it.
    Effect.ensuring(Queue.shutdown(chunks)),
    Effect.forkScoped
  )
  const digest: StreamDigest = {
    passThrough: (bytes) =>
      bytes.pipe(
        Stream.tap((chunk) => Queue.offer(chunks, chunk)),
        Stream.concat(Stream.fromEffectDrain(Effect.andThen(Queue.end(chunks), Fiber.await(digesting))))
      ),
    digest: Effect.map(Fiber.join(digesting), Option.getOrUndefined)
  }
  return digest
})

/** Hashes content of this type and encoding as it passes. Stops when the scope closes. */
export const streamDigest = (
  content: Omit<DigestedContent<never>, "stream">,
  budget: DecompressionBudget,
  withPermit: (work: Effect.Effect<void>) => Effect.Effect<void> = (work) => work
): Effect.Effect<StreamDigest, never, Scope.Scope> =>
  isGzip(content.contentType, content.contentEncoding) ? ofGzip(content, budget, withPermit) : ofPlain
