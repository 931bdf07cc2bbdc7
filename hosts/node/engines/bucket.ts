import { Effect, Layer } from "effect"
import * as s3 from "../../../adapters/s3/index.ts"
import type { Fault } from "../engineErrors/Fault.ts"
import { optionsFault, reachBucket } from "../engineErrors/reachBucket.ts"
import type { S3Settings } from "../settings/engineSettings.ts"

/** The object store on a bucket. Checks the bucket first; `refuse` makes the error if it can't be used. */
export const layerBucket = <E>(settings: S3Settings, refuse: (fault: Fault) => E) => {
  const reached = Layer.effectDiscard(Effect.mapError(reachBucket(settings), refuse))
  return Layer.catchTag(s3.layer(settings), "OptionsUnusable", (error) =>
    Layer.effectContext(Effect.fail(refuse(optionsFault(error))))
  ).pipe(Layer.provide(reached))
}
