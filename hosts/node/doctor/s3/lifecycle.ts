import { GetBucketLifecycleConfigurationCommand, type LifecycleRule, type S3Client } from "@aws-sdk/client-s3"
import { Effect, Option } from "effect"
import { attempt } from "../../../../adapters/s3/attempt.ts"
import type { S3Settings } from "../../settings/engineSettings.ts"
import { fine, type Finding } from "../parts/Finding.ts"
import { probeTimeouts } from "../../engineErrors/reachBucket.ts"

const sweeps =
  (prefix: string) =>
  ({ Expiration, Filter, Status }: LifecycleRule): boolean =>
    Status === "Enabled" && Expiration?.Days !== undefined && prefix.startsWith(Filter?.Prefix ?? "")

/**
 * Whether the bucket itself sweeps uploads that were never finalized. Without it nothing is wrong, they only stay; and
 * without the permission to read the rules there is no finding.
 */
export const lifecycleFinding = (
  name: string,
  client: S3Client,
  { bucket, prefix = "" }: S3Settings
): Effect.Effect<Option.Option<Finding>> => {
  const uploads = `${prefix}uploads/`
  return attempt("GetBucketLifecycleConfiguration", probeTimeouts, (options) =>
    client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }), options)
  ).pipe(
    Effect.map(({ Rules = [] }) => Rules.some(sweeps(uploads))),
    Effect.catchIf(
      (fault) => fault.name === "NoSuchLifecycleConfiguration" || fault.status === 404,
      () => Effect.succeed(false)
    ),
    Effect.map((swept) =>
      fine(
        name,
        swept
          ? `a rule of the bucket deletes what is left below ${uploads}`
          : `no rule deletes what is left below ${uploads}; one that expires it after 2 days keeps the bucket small`
      )
    ),
    Effect.option
  )
}
