import { Channel, Effect, Stream } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { OpenObject } from "../ports/ObjectStore.ts"
import { Sha256 } from "../ports/Sha256.ts"
import { isGzip } from "../rules/verification.ts"

/** Why a digest could not be taken of gzip content. */
class NotDecompressible {
  readonly reason: string
  constructor(reason: string) {
    this.reason = reason
  }
}

/** Decompresses as it is read; when it ends or is left early, nothing reads on from `stream`. */
const gunzip = (
  stream: Stream.Stream<Uint8Array, Unavailable>
): Stream.Stream<Uint8Array, Unavailable | NotDecompressible> =>
  Stream.pipeThroughChannel(
    Stream.map(stream, (bytes) => new Uint8Array(bytes)),
    Channel.fromTransformStream({
      evaluate: () => new DecompressionStream("gzip"),
      onError: () => new NotDecompressible("not valid gzip")
    })
  )

/** How much may still be decompressed: one budget for all the objects of a reservation. */
export interface DecompressionBudget {
  readonly bytes: number
  left: number
}

/** A budget that nothing was taken from yet. */
export const decompressionBudget = (bytes: number): DecompressionBudget => ({ bytes, left: bytes })

/**
 * The SHA-256 of an object's uncompressed bytes, in lower-case hex. Gzip content is decompressed as a stream and never
 * past the budget; where that stops, or the content is no gzip, the answer says so in place of the digest.
 */
export const contentDigest = Effect.fn("contentDigest")(function* (
  object: OpenObject,
  budget: DecompressionBudget
): Effect.fn.Return<string, Unavailable> {
  const hasher = (yield* Sha256)()
  const compressed = isGzip(object.contentType, object.contentEncoding)
  return yield* (compressed ? gunzip(object.stream) : object.stream).pipe(
    Stream.runForEachArray((chunks) => {
      for (const chunk of chunks) {
        if (compressed) budget.left -= chunk.byteLength
        if (budget.left < 0)
          return Effect.fail(new NotDecompressible(`decompresses to more than ${budget.bytes} bytes`))
        hasher.update(chunk)
      }
      return Effect.void
    }),
    Effect.map(() => hasher.digest()),
    Effect.catchIf(
      (error) => error instanceof NotDecompressible,
      ({ reason }) => Effect.succeed(reason)
    )
  )
})
