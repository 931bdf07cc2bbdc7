import { ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import { attempt } from "../../../adapters/s3/attempt.ts"
import type { OptionsUnusable } from "../../../adapters/s3/options.ts"
import { openClient } from "../../../adapters/s3/client.ts"
import { findObeyedHeaders, obeyedDetail, type TriedHeader } from "../../../adapters/s3/unsignedHeaders.ts"
import type { S3Settings } from "../settings/engineSettings.ts"
import type { Fault } from "./Fault.ts"
import { s3Fault } from "./s3Fault.ts"

/** The doctor's timeout for a call, in milliseconds. */
export const probeTimeouts = { head: 5000, whole: 15_000 }

/** Invalid options that reading the settings can't detect. */
export const optionsFault = ({ message }: OptionsUnusable): Fault => ({
  detail: message.replace(/\.$/, ""),
  hint: "name them in SLIPWAY_S3_REGION or SLIPWAY_S3_ENDPOINT"
})

/** Lists one key of the bucket, the call that reveals most of what can be wrong. */
export const listOne = (client: S3Client, { bucket, prefix = "" }: S3Settings) =>
  attempt("ListObjectsV2", probeTimeouts, (options) =>
    client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: `${prefix}doctor/`, MaxKeys: 1 }), options)
  )

/** Succeeds if the bucket exists and its keys may be listed. */
export const reachBucket = (settings: S3Settings): Effect.Effect<void, Fault> =>
  Effect.scoped(
    Effect.gen(function* () {
      const client = yield* Effect.mapError(openClient(settings), optionsFault)
      yield* Effect.mapError(listOne(client, settings), (fault) => s3Fault(fault, settings))
    })
  )

/** What a store that obeys unsigned headers lets clients do, and the three remedies. */
export const unsafePuts = (headers: ReadonlyArray<TriedHeader>): Fault => ({
  detail: obeyedDetail(headers),
  hint: "set SLIPWAY_S3_UPLOADS=host, so that the host receives the uploads; or put a proxy before the S3 server that refuses these headers, such as examples/deploy/s3.caddy; or update Ceph to 19.2.6, 20.2.4 or newer with rgw_sigv4_insecure=false (docs/scale-out.md)"
})

/** Succeeds if the PUT URLs of the bucket allow only what they were signed for. */
export const refuseUnsafePuts = (settings: S3Settings): Effect.Effect<void, Fault> =>
  Effect.scoped(
    Effect.gen(function* () {
      const { bucket, prefix = "" } = settings
      const client = yield* Effect.mapError(openClient(settings), optionsFault)
      const obeyed = yield* Effect.mapError(findObeyedHeaders({ client, bucket, prefix }), (fault) =>
        s3Fault(fault, settings)
      )
      if (obeyed.length > 0) return yield* Effect.fail(unsafePuts(obeyed))
    })
  )
