/** Objects in a bucket of S3, or of any store with its API. */
import { Effect, Layer } from "effect"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { openClient } from "./client.ts"
import type { S3Options } from "./client.ts"
import { makeObjects } from "./objects.ts"

export { OptionsUnusable } from "./client.ts"
export type { S3Options } from "./client.ts"

/**
 * The object store in an existing bucket. It sends nothing before a method is called. While the store can't be reached
 * or refuses Slipway, the methods answer `Unavailable` and the log says why; later they work again by themselves.
 */
export const layer = (options: S3Options) =>
  Layer.effect(
    ObjectStore,
    Effect.map(openClient(options), (client) =>
      makeObjects({ client, bucket: options.bucket, prefix: options.prefix ?? "" })
    )
  )
