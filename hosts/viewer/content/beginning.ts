import { Effect, Stream, type Scope } from "effect"
import type { ByteRange } from "../../../core/model/Artifact.ts"
import type { InvalidRequest, NotFound, RangeNotSatisfiable, Unavailable } from "../../../core/model/Problem.ts"
import type { OpenObject } from "../../../core/ports/ObjectStore.ts"
import { isGzip } from "../../../core/rules/verification.ts"
import { inflated } from "./inflated.ts"

/** The first bytes of an object. */
interface Beginning {
  readonly bytes: Uint8Array
  readonly isWhole: boolean
  /** Whether the bytes are plain content: false if they have a content encoding that this module can't decode. */
  readonly isPlain: boolean
}

type Chunk = Uint8Array<ArrayBuffer>

const joined = (chunks: ReadonlyArray<Uint8Array>): Chunk => {
  const whole = new Uint8Array(chunks.reduce((total, { byteLength }) => total + byteLength, 0))
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.byteLength
  }
  return whole
}

/** Decompresses at most this many bytes of gzip, which may be cut off. */
const inflatedBeginning = async (packed: Chunk, most: number) => {
  const chunks: Array<Chunk> = []
  let length = 0
  try {
    for await (const chunk of await inflated(new Blob([packed]).stream())) {
      chunks.push(chunk)
      length += chunk.byteLength
      if (length > most) break
    }
  } catch {
    return { bytes: joined(chunks).subarray(0, most), isWhole: false }
  }
  return { bytes: joined(chunks).subarray(0, most), isWhole: length <= most }
}

/**
 * The first bytes of an object, at most `most`, without reading more than that. Gzip, by content type or encoding, is
 * decompressed.
 */
export const beginning = (
  open: (
    range: ByteRange
  ) => Effect.Effect<OpenObject, NotFound | InvalidRequest | RangeNotSatisfiable | Unavailable, Scope.Scope>,
  most: number
): Effect.Effect<Beginning, NotFound | InvalidRequest | Unavailable> =>
  Effect.gen(function* () {
    // An empty object has no range that could be requested.
    const object = yield* Effect.catchTag(
      open({ offset: 0, length: most }),
      "RangeNotSatisfiable",
      () => Effect.undefined
    )
    if (object === undefined) return { bytes: new Uint8Array(), isWhole: true, isPlain: true }
    const { contentEncoding, contentType, length, sizeBytes, stream } = object
    const bytes = joined(yield* Stream.runCollect(stream))
    const isWhole = length === sizeBytes
    if (!isGzip(contentType, contentEncoding)) {
      const isPlain = contentEncoding === undefined || /^identity$/i.test(contentEncoding)
      return { bytes, isWhole, isPlain }
    }
    const found = yield* Effect.promise(() => inflatedBeginning(bytes, most))
    return { bytes: found.bytes, isWhole: isWhole && found.isWhole, isPlain: true }
  }).pipe(Effect.scoped)
