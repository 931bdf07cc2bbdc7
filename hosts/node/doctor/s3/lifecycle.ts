import { GetBucketLifecycleConfigurationCommand, type LifecycleRule, type S3Client } from "@aws-sdk/client-s3"
import { Effect, Option } from "effect"
import { attempt } from "../../../../adapters/s3/attempt.ts"
import type { S3Settings } from "../../settings/engineSettings.ts"
import { awsFlags } from "../../engineErrors/s3Fault.ts"
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
  settings: S3Settings
): Effect.Effect<Option.Option<Finding>> => {
  const { bucket, prefix = "" } = settings
  const uploads = `${prefix}uploads/`
  const rule: LifecycleRule = {
    Status: "Enabled",
    Filter: { Prefix: uploads },
    Expiration: { Days: 2 },
    NoncurrentVersionExpiration: { NoncurrentDays: 1 }
  }
  // The command replaces all rules.
  const commandFor = (existing: ReadonlyArray<LifecycleRule>) => {
    const rules = JSON.stringify({ Rules: [...existing, rule] }).replaceAll("'", String.raw`'\''`)
    return `aws s3api put-bucket-lifecycle-configuration ${awsFlags(settings)} --lifecycle-configuration '${rules}'`
  }
  return attempt("GetBucketLifecycleConfiguration", probeTimeouts, (options) =>
    client.send(new GetBucketLifecycleConfigurationCommand({ Bucket: bucket }), options)
  ).pipe(
    Effect.map(({ Rules = [] }) => Rules),
    Effect.catchIf(
      (fault) => fault.name === "NoSuchLifecycleConfiguration" || fault.status === 404,
      () => Effect.succeed([])
    ),
    Effect.map((rules) =>
      fine(
        name,
        rules.some(sweeps(uploads))
          ? `a rule of the bucket deletes what is left below ${uploads}`
          : `no rule deletes what is left below ${uploads}. To add one: ${commandFor(rules)}`
      )
    ),
    Effect.option
  )
}
