import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3"
import { Effect, Stream } from "effect"
import { Readable } from "node:stream"
import type { Unavailable } from "../../core/model/Problem.ts"
import type { ByteRange } from "../../core/model/Artifact.ts"
import type { OpenObject } from "../../core/ports/ObjectStore.ts"
import { resolveRange } from "../signed-urls/resolveRange.ts"
import { attempt, attemptToOpen, brisk, faultOf, StoreFault, unavailable } from "./attempt.ts"
import { orMissing } from "./missing.ts"
import type { BucketLocation } from "./bucketLocation.ts"

/** How long a store may leave a reader waiting for the next bytes, in milliseconds. */
const silence = 30_000

/** A range as S3 wants it. One of no bytes can't be asked for; the object's size is all that is wanted then. */
const rangeHeader = (range: ByteRange | undefined): { readonly Range?: string } => {
  if (range === undefined) return {}
  if ("suffix" in range) return range.suffix > 0 ? { Range: `bytes=-${range.suffix}` } : {}
  const { length, offset } = range
  if (length === undefined) return { Range: `bytes=${offset}-` }
  return length > 0 ? { Range: `bytes=${offset}-${offset + length - 1}` } : {}
}

const open = ({ bucket, client, prefix }: BucketLocation, key: string, range: ByteRange | undefined) =>
  Effect.acquireRelease(
    Effect.tap(
      attemptToOpen("GetObject", (options) =>
        client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + key, ...rangeHeader(range) }), options)
      ),
      // A body that breaks while nobody reads it must not end the process; whoever reads it is told.
      ({ Body }) => Effect.sync(() => Body instanceof Readable && Body.on("error", () => {}))
    ),
    ({ Body }) => Effect.sync(() => Body instanceof Readable && Body.destroy())
  )

const sizeOf = ({ bucket, client, prefix }: BucketLocation, key: string): Effect.Effect<number, StoreFault> =>
  attempt("HeadObject", brisk, (options) =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + key }), options)
  ).pipe(Effect.map(({ ContentLength = 0 }) => ContentLength))

/** The pieces of a body. It is given up when nothing comes for long while somebody waits; a reader may be slow. */
const pieces = (body: Readable): AsyncIterable<Uint8Array> => {
  const iterator: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
  return {
    [Symbol.asyncIterator]: () => ({
      next: () => {
        const timer = setTimeout(() => body.destroy(new Error(`not a byte in ${silence} ms`)), silence)
        return iterator.next().finally(() => clearTimeout(timer))
      }
    })
  }
}

const streamOf = (body: Readable): Stream.Stream<Uint8Array, Unavailable> =>
  Stream.fromAsyncIterable(pieces(body), (cause) => faultOf("GetObject", cause)).pipe(
    Stream.catchTag("StoreFault", (fault) => Stream.fromEffect(unavailable(fault)))
  )

const otherBytes = new StoreFault({
  call: "GetObject",
  name: "other bytes than were asked for",
  status: 200,
  detail: ""
})

/**
 * Opens an object until the scope closes: one GET, whose answer is the object as it was then, however late it is read.
 */
export const openObject = Effect.fnUntraced(
  function* (location: BucketLocation, key: string, range: ByteRange | undefined) {
    const answer = yield* open(location, key, range).pipe(
      orMissing(location, key),
      Effect.catchTag("StoreFault", (fault) =>
        fault.status === 416
          ? Effect.flatMap(sizeOf(location, key), (size) =>
              Effect.andThen(resolveRange(range, size), Effect.fail(fault))
            )
          : Effect.fail(fault)
      )
    )
    const { Body: body, ContentEncoding, ContentLength, ContentRange, ContentType } = answer
    const sizeBytes = Number(ContentRange?.split("/").at(-1) ?? ContentLength)
    if (!(body instanceof Readable) || !Number.isSafeInteger(sizeBytes)) return yield* otherBytes
    const { length, offset } = yield* resolveRange(range, sizeBytes)
    if (length !== ContentLength) return yield* otherBytes
    const object: OpenObject = {
      sizeBytes,
      offset,
      length,
      contentType: ContentType ?? "application/octet-stream",
      ...(ContentEncoding === undefined ? {} : { contentEncoding: ContentEncoding }),
      stream: streamOf(body)
    }
    return object
  },
  Effect.catchTag("StoreFault", unavailable)
)
