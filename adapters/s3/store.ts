import { Effect, Layer } from "effect"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { openClient } from "./client.ts"
import { openDigestThread } from "./digestThread.ts"
import { makeObjects } from "./objects.ts"
import type { S3Options } from "./options.ts"

/** The object store on a client of the SDK, which is closed with the layer. */
export const layer = (options: S3Options) =>
  Layer.effect(
    ObjectStore,
    Effect.gen(function* () {
      const client = yield* openClient(options)
      return makeObjects({ client, bucket: options.bucket, prefix: options.prefix ?? "" }, yield* openDigestThread)
    })
  )
