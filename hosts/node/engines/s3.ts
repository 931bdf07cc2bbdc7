import { ListObjectsV2Command, type S3Client } from "@aws-sdk/client-s3"
import { Effect, Layer } from "effect"
import { attempt, type StoreFault } from "../../../adapters/s3/attempt.ts"
import { openClient } from "../../../adapters/s3/client.ts"
import * as s3 from "../../../adapters/s3/store.ts"
import type { OptionsUnusable } from "../../../adapters/s3/options.ts"
import { findObeyedHeaders, obeyedDetail, type TriedHeader } from "../../../adapters/s3/unsignedHeaders.ts"
import type { S3Settings } from "../settings/engineSettings.ts"
import { type Fault, networkFault, unusable } from "./engines.ts"

const credentials = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile or role that the AWS SDK finds"
const otherRegion: (settings: S3Settings, fault: StoreFault) => Fault = ({ bucket }, { detail }) => ({
  detail: `the bucket ${bucket} is in another region: ${detail}`,
  hint: "name it in SLIPWAY_S3_REGION"
})

/** The settings of a bucket as flags of the AWS command line. */
export const awsFlags = ({ bucket, endpoint }: S3Settings): string =>
  `${endpoint === undefined ? "" : `--endpoint-url ${endpoint} `}--bucket ${bucket}`

/** Whether the fault may be that the server expects the bucket's name in the path and not in the host name. */
const maybePathStyle = ({ endpoint, forcePathStyle }: S3Settings): boolean =>
  endpoint !== undefined && forcePathStyle !== true

/** S3's error codes, explained to somebody who sets up Slipway. */
const known: Readonly<Record<string, (settings: S3Settings, fault: StoreFault) => Fault>> = {
  CredentialsProviderError: () => ({ detail: "there are no credentials", hint: `give ${credentials}` }),
  InvalidAccessKeyId: () => ({ detail: "the access key id is unknown to the store", hint: `correct ${credentials}` }),
  SignatureDoesNotMatch: () => ({
    detail: "the secret access key doesn't belong to the access key id",
    hint: `correct ${credentials}`
  }),
  ExpiredToken: () => ({ detail: "the credentials have expired", hint: `renew ${credentials}` }),
  NoSuchBucket: (settings) => ({
    detail: `there is no bucket ${settings.bucket}`,
    hint: `make it (aws s3api create-bucket ${awsFlags(settings)}), or correct SLIPWAY_S3_BUCKET${
      maybePathStyle(settings)
        ? "; a server without a host name for each bucket needs SLIPWAY_S3_FORCE_PATH_STYLE=true"
        : ""
    }`
  }),
  AccessDenied: ({ bucket, prefix = "" }) => ({
    detail: `the credentials may not use the bucket ${bucket}`,
    hint: `allow them s3:ListBucket on it, and s3:GetObject, s3:PutObject and s3:DeleteObject on ${bucket}/${prefix}*`
  }),
  PermanentRedirect: otherRegion,
  AuthorizationHeaderMalformed: otherRegion,
  RequestTimeTooSkewed: () => ({
    detail: "the store's clock and this machine's differ by more than it allows",
    hint: "set this machine's clock (NTP)"
  })
}

/** Explains a failed call to a bucket. */
export const s3Fault = (fault: StoreFault, settings: S3Settings): Fault => {
  const { bucket, endpoint } = settings
  const server = endpoint ?? "S3"
  if (fault.name === "ENOTFOUND" && maybePathStyle(settings) && fault.detail.includes(`${bucket}.`)) {
    return {
      detail: `${server} has no host name for the bucket ${bucket} (${fault.detail})`,
      hint: "set SLIPWAY_S3_FORCE_PATH_STYLE=true, or correct SLIPWAY_S3_ENDPOINT"
    }
  }
  return (
    known[fault.name]?.(settings, fault) ??
    networkFault(fault.name, server, "SLIPWAY_S3_ENDPOINT") ?? {
      detail: `${server} answers ${fault.call} with ${[fault.status, fault.name, fault.detail].filter(Boolean).join(" ").replace(/\.$/, "")}`,
      hint: "correct SLIPWAY_S3_ENDPOINT, or check the logs of the store and of the proxy before it"
    }
  )
}

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
const reachBucket = (settings: S3Settings): Effect.Effect<void, Fault> =>
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
const refuseUnsafePuts = (settings: S3Settings): Effect.Effect<void, Fault> =>
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
