import { GetObjectCommand, HeadObjectCommand } from "@aws-sdk/client-s3"
import { Effect, Result, Stream } from "effect"
import { Readable } from "node:stream"
import type { ByteRange } from "../../core/model/Artifact.ts"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { DriverObject } from "../object-store/ObjectDriver.ts"
import { attempt, attemptToOpen, shortTimeouts, faultOf, noResponse, StoreFault } from "./attempt.ts"
import { orMissing } from "./missing.ts"
import type { BucketLocation } from "./bucketLocation.ts"

/** How long a reader may wait for the next bytes of a store. */
const silence = "30 seconds"

/** The content type of an object whose type the store doesn't tell. */
const unknownType = "application/octet-stream"

/** A range in S3's form. An empty range can't be asked for; then only the object's size is needed. */
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
      // A body that fails while nobody reads it must not end the process; a later reader gets the failure.
      ({ Body }) => Effect.sync(() => Body instanceof Readable && Body.on("error", () => {}))
    ),
    ({ Body }) => Effect.sync(() => Body instanceof Readable && Body.destroy())
  )

const sizeOf = ({ bucket, client, prefix }: BucketLocation, key: string): Effect.Effect<number, StoreFault> =>
  attempt("HeadObject", shortTimeouts, (options) =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + key }), options)
  ).pipe(Effect.map(({ ContentLength = 0 }) => ContentLength))

/** The pieces of a body, those together that have come, because each step of a stream costs more than reading a piece. */
async function* piecesOf(body: Readable): AsyncGenerator<ReadonlyArray<Uint8Array>> {
  for await (const piece of body) {
    const pieces: Array<Uint8Array> = [piece]
    for (let next = body.read(); next !== null; next = body.read()) pieces.push(next)
    yield pieces
  }
}

/** The pieces of a body. It fails when a reader waits too long for the next piece; the reader itself may be slow. */
const streamOf = (body: Readable): Stream.Stream<Uint8Array, StoreFault> =>
  Stream.fromAsyncIterable(piecesOf(body), (cause) => faultOf("GetObject", cause)).pipe(
    Stream.timeoutOrElse({ duration: silence, orElse: () => Stream.fail(noResponse("GetObject", silence)) }),
    Stream.flattenIterable
  )

const otherBytes = new StoreFault({
  call: "GetObject",
  name: "other bytes than were asked for",
  status: 200,
  detail: ""
})

/** The size of an object that doesn't contain any byte of the requested range. */
const withoutRange = (location: BucketLocation, key: ObjectKey, fault: StoreFault) =>
  Effect.map(sizeOf(location, key), (sizeBytes): DriverObject<StoreFault> => ({
    sizeBytes,
    contentType: unknownType,
    stream: () => Effect.fail(fault)
  }))

/**
 * Opens an object until the scope closes with one GET, whose answer is the object at that time, even when it is read
 * later.
 */
export const openObject = Effect.fnUntraced(function* (
  location: BucketLocation,
  key: ObjectKey,
  range: ByteRange | undefined
) {
  const answer = yield* Effect.result(open(location, key, range).pipe(orMissing(location, key)))
  if (Result.isFailure(answer)) {
    const fault = answer.failure
    return fault._tag === "StoreFault" && fault.status === 416
      ? yield* withoutRange(location, key, fault)
      : yield* fault
  }
  const { Body: body, ContentEncoding, ContentLength, ContentRange, ContentType } = answer.success
  const sizeBytes = Number(ContentRange?.split("/").at(-1) ?? ContentLength)
  if (!(body instanceof Readable) || !Number.isSafeInteger(sizeBytes)) return yield* otherBytes
  const object: DriverObject<StoreFault> = {
    sizeBytes,
    contentType: ContentType ?? unknownType,
    ...withoutUndefined({ contentEncoding: ContentEncoding }),
    stream: (_, length) => (length === ContentLength ? Effect.succeed(streamOf(body)) : Effect.fail(otherBytes))
  }
  return object
})
