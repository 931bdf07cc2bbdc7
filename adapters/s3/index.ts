/** Objects in a bucket of S3, or of any store with its API. */
import { Effect, Layer } from "effect"
import { loadOptional } from "../packages/loadOptional.ts"
import { sdk } from "../packages/optional.ts"
import type { S3Options } from "./options.ts"

export { OptionsUnusable } from "./options.ts"
export type { S3Options } from "./options.ts"

/**
 * The object store in an existing bucket. It sends nothing before a method is called. While the store can't be reached
 * or refuses Slipway, the methods answer `Unavailable` and the log says why; later they work again by themselves.
 */
export const layer = (options: S3Options) =>
  Layer.unwrap(
    Effect.map(
      loadOptional(sdk, () => import("./store.ts")),
      ({ layer }) => layer(options)
    )
  )
