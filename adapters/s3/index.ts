/** Objects in a bucket of S3, or of any store that speaks it. */
import { Effect, Layer } from "effect"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { openClient } from "./client.ts"
import type { S3Options } from "./client.ts"
import { makeObjects } from "./objects.ts"

export { OptionsUnusable } from "./client.ts"
export type { S3Options } from "./client.ts"

/**
 * The object store in a bucket, which has to be there. Nothing is asked of it before a port's method is called: while
 * it is away, or refuses Slipway, the methods answer `Unavailable` and the log says why; later they go on by
 * themselves.
 */
export const layer = (options: S3Options) =>
  Layer.effect(
    ObjectStore,
    Effect.map(openClient(options), (client) =>
      makeObjects({ client, bucket: options.bucket, prefix: options.prefix ?? "" })
    )
  )
