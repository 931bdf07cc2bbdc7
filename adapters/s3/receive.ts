import { PutObjectCommand } from "@aws-sdk/client-s3"
import { Deferred, Effect, Fiber, Stream } from "effect"
import { PassThrough } from "node:stream"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { IncomingObject } from "../signed-urls/ObjectSink.ts"
import { attempt, faultOf, longTimeouts, noResponse, shortTimeouts, StoreFault } from "./attempt.ts"
import type { BucketLocation } from "./bucketLocation.ts"

/** How long a store may take to accept the next bytes. */
const silence = "30 seconds"

/** How many bytes wait in memory for the store. */
const highWaterMark = 512 * 1024

/** Passes a chunk on, and waits while the store accepts no more. */
const write = (body: PassThrough, chunk: Uint8Array): Effect.Effect<void, StoreFault> =>
  Effect.callback<void>((resume) => {
    if (body.write(chunk)) return resume(Effect.void)
    const drained = () => resume(Effect.void)
    body.once("drain", drained)
    return Effect.sync(() => body.off("drain", drained))
  }).pipe(Effect.timeoutOrElse({ duration: silence, orElse: () => Effect.fail(noResponse("PutObject", silence)) }))

/**
 * Stores an object while its bytes arrive. A store has the object as soon as it has the last byte, so the last chunk is sent only
 * after the stream has ended; until then, a failure or an interruption ends the request, and nothing is stored. From then on it is
 * uninterruptible. A request whose body is a stream isn't repeated.
 */
export const receiveObject = Effect.fnUntraced(function* <E>(
  { bucket, client, prefix }: BucketLocation,
  { contentEncoding, contentType, key, sizeBytes }: IncomingObject & { readonly key: ObjectKey },
  bytes: Stream.Stream<Uint8Array, E>
) {
  const command = {
    Bucket: bucket,
    Key: prefix + key,
    ContentType: contentType,
    ContentLength: sizeBytes,
    ...withoutUndefined({ ContentEncoding: contentEncoding })
  }
  if (sizeBytes === 0) {
    yield* Stream.runDrain(bytes)
    const send = attempt("PutObject", shortTimeouts, (options) =>
      client.send(new PutObjectCommand({ ...command, Body: "" }), options)
    )
    return yield* Effect.uninterruptible(Effect.asVoid(send))
  }
  const body = new PassThrough({ highWaterMark })
  // The failure is that of the request.
  body.on("error", () => {})
  const ended = yield* Deferred.make<void>()
  const late = Effect.andThen(Deferred.await(ended), Effect.sleep(longTimeouts.head)).pipe(
    Effect.andThen(Effect.fail(noResponse("PutObject", longTimeouts.head)))
  )
  const sending = yield* Effect.tryPromise({
    try: (abortSignal) =>
      client.send(new PutObjectCommand({ ...command, Body: body }), { abortSignal, requestTimeout: 0 }),
    catch: (cause) => faultOf("PutObject", cause)
  }).pipe(Effect.raceFirst(late), Effect.ensuring(Effect.sync(() => body.destroy())), Effect.forkScoped)
  let last: Uint8Array | undefined
  const pass = (chunk: Uint8Array) => {
    if (chunk.byteLength === 0) return Effect.void
    const before = last
    last = chunk
    return before === undefined ? Effect.void : write(body, before)
  }
  // A store may refuse the request before it has read the body.
  const refused = Effect.andThen(Fiber.join(sending), Effect.never)
  yield* Effect.raceFirst(
    Stream.runForEachArray(bytes, (chunks) => Effect.forEach(chunks, pass, { discard: true })),
    refused
  )
  yield* Effect.uninterruptible(
    Effect.gen(function* () {
      body.end(last)
      yield* Deferred.succeed(ended, undefined)
      yield* Fiber.join(sending)
    })
  )
}, Effect.scoped)
