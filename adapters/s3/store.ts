import { Context, Effect, Layer } from "effect"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { ObjectSink, SignedUrls } from "../signed-urls/SignedUrls.ts"
import type { S3Options } from "./options.ts"
import { openClient } from "./client.ts"
import { openDigestThread } from "./digestThread.ts"
import { makeObjects, makeServedObjects } from "./objects.ts"

const open = Effect.fnUntraced(function* (options: S3Options) {
  const client = yield* openClient(options)
  const thread = yield* openDigestThread
  return [{ client, bucket: options.bucket, prefix: options.prefix ?? "" }, thread] as const
})

/** The object store on a client of the SDK, which is closed with the layer. */
export const layer = (options: S3Options) =>
  Layer.effect(
    ObjectStore,
    Effect.map(open(options), (opened) => makeObjects(...opened))
  )

/** The same object store, and the sink behind the URLs of the host. */
export const layerThroughHost = (options: S3Options) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { sink, store } = makeServedObjects(yield* SignedUrls, ...(yield* open(options)))
      return Context.make(ObjectStore, store).pipe(Context.add(ObjectSink, sink))
    })
  )
