/** The object store in a bucket, with or without the check of the server, and behind the URLs of the host. */
import { Context, Effect, Layer, Semaphore } from "effect"
import { Unavailable } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { ObjectSink, SignedUrls } from "../signed-urls/SignedUrls.ts"
import { logFault, type BucketLocation } from "./attempt.ts"
import { openClient } from "./client.ts"
import { openDigestThread } from "./digestThread.ts"
import { makeObjects, makeServedObjects } from "./objects.ts"
import type { S3Options } from "./options.ts"
import { findObeyedHeaders, obeyedDetail } from "./unsignedHeaders.ts"

const openBucket = Effect.fnUntraced(function* (options: S3Options) {
  const client = yield* openClient(options)
  const thread = yield* openDigestThread
  return [{ client, bucket: options.bucket, prefix: options.prefix ?? "" }, thread] as const
})

/**
 * Fails if the server obeys headers that a PUT URL wasn't signed for, or if that can't be found out. A server that refuses them is
 * tried once; any other one again at each call, so that a change at the server needs no restart.
 */
const makeCheck = (location: BucketLocation): Effect.Effect<void, Unavailable> => {
  let isSafe = false
  const check = Effect.gen(function* () {
    if (isSafe) return
    const obeyed = yield* Effect.catch(findObeyedHeaders(location), (fault) =>
      Effect.andThen(logFault(fault), Effect.fail(Unavailable.default))
    )
    if (obeyed.length > 0) {
      yield* Effect.logError(
        `No upload URL is made: ${obeyedDetail(obeyed)}. Use throughHost of slipway/adapters/s3, a proxy that refuses these headers, or a fixed server (docs/scale-out.md).`
      )
      return yield* Unavailable.default
    }
    isSafe = true
  })
  const one = Semaphore.makeUnsafe(1)
  return Effect.suspend(() => (isSafe ? Effect.void : one.withPermit(check)))
}

/** The object store on a client of the SDK, which is closed with the layer. It makes PUT URLs only for a server that refuses unsigned headers. */
export const layerChecked = (options: S3Options) =>
  Layer.effect(
    ObjectStore,
    Effect.map(openBucket(options), ([location, thread]) => {
      const [store, check] = [makeObjects(location, thread), makeCheck(location)]
      return ObjectStore.of({
        ...store,
        presignPuts: (requests) => Effect.andThen(check, store.presignPuts(requests))
      })
    })
  )

/** The same for hosts that check the server at their start, and for commands that give no client a URL. */
export const layer = (options: S3Options) =>
  Layer.effect(
    ObjectStore,
    Effect.map(openBucket(options), (opened) => makeObjects(...opened))
  )

/** The same object store, and the sink behind the URLs of the host. */
export const layerThroughHost = (options: S3Options) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { sink, store } = makeServedObjects(yield* SignedUrls, ...(yield* openBucket(options)))
      return Context.make(ObjectStore, store).pipe(Context.add(ObjectSink, sink))
    })
  )
