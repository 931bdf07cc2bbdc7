import { Effect, Layer } from "effect"
import * as s3 from "../../../adapters/s3/store.ts"
import { reachBucket, refuseUnsafePuts } from "../engineErrors/reachBucket.ts"
import type { S3Settings } from "../settings/engineSettings.ts"
import { unusable } from "./engines.ts"

/** Refuses a bucket that can't be used. */
export const reached = (settings: S3Settings) => Effect.mapError(reachBucket(settings), unusable("SLIPWAY_S3_BUCKET"))

/** Refuses also a bucket on which a client with a PUT URL could do more than PUT. */
export const safeForUploads = (settings: S3Settings) =>
  Effect.andThen(reached(settings), Effect.mapError(refuseUnsafePuts(settings), unusable("SLIPWAY_S3_UPLOADS")))

/** The object store on a bucket that was checked at the start. */
export const layerDirect = s3.layer

/** The object store on a bucket that can be used, for commands: no client gets its PUT URLs. */
export const layerBucket = (settings: S3Settings) =>
  // The check opens a client with the same options.
  Layer.orDie(s3.layer(settings)).pipe(Layer.provide(Layer.effectDiscard(reached(settings))))
