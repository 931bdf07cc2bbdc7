import { GetBucketLifecycleConfigurationCommand, type LifecycleRule, type S3Client } from "@aws-sdk/client-s3"
import { Context, Effect, Layer, Option, Result } from "effect"
import { openClient } from "../../../../adapters/s3/client.ts"
import { layer as layerS3 } from "../../../../adapters/s3/store.ts"
import { ObjectStore } from "../../../../core/ports/ObjectStore.ts"
import type { S3Settings } from "../../settings/engineSettings.ts"
import { fine, wrong, type Checked, type Finding } from "../parts/Finding.ts"
import { attempt } from "../../../../adapters/s3/attempt.ts"
import { awsFlags, s3Fault } from "../../engineErrors/s3Fault.ts"
import { permissionsFinding } from "./permissions.ts"
import { listOne, optionsFault, probeTimeouts } from "../../engineErrors/reachBucket.ts"
import { signedPutFindings, storeClock } from "./signedUrls.ts"

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

/** The object store on the bucket. Everything below the prefix is deleted when the scope closes. */
const openStore = Effect.fnUntraced(function* (settings: S3Settings, prefix: string) {
  const store = Context.get(yield* Layer.build(layerS3(settings)), ObjectStore)
  const tidy = Effect.flatMap(store.list(prefix), (left) => store.remove(left.map(({ key }) => key)))
  yield* Effect.addFinalizer(() => Effect.ignore(tidy))
  return store
})

const checkBucket = Effect.fnUntraced(function* (client: S3Client, settings: S3Settings) {
  const { bucket, endpoint } = settings
  const listed = yield* Effect.result(listOne(client, settings))
  if (Result.isFailure(listed) && listed.failure.name !== "AccessDenied") {
    return { findings: [wrong("S3", s3Fault(listed.failure, settings))] }
  }
  const prefix = `doctor/${crypto.randomUUID()}/`
  const store = yield* openStore(settings, prefix)
  const permissions = yield* permissionsFinding("S3 permissions", client, settings, prefix)
  const findings: ReadonlyArray<Finding> = [
    ...(Result.isSuccess(listed) ? [fine("S3", `the bucket ${bucket} at ${endpoint ?? "AWS"}`)] : []),
    permissions,
    ...(permissions.ok ? yield* signedPutFindings(store, client, settings, prefix) : []),
    ...Option.toArray(yield* lifecycleFinding("S3 lifecycle", client, settings))
  ]
  const clock = yield* storeClock(store, prefix)
  return clock === undefined ? { findings } : { findings, clock }
})

/**
 * Checks a bucket: whether it can be reached, the permissions, what its signed URLs enforce, and cross-origin reads.
 */
export const checkS3 = (settings: S3Settings): Effect.Effect<Checked> =>
  openClient(settings).pipe(
    Effect.flatMap((client) => checkBucket(client, settings)),
    Effect.catchTag("OptionsUnusable", (error) => Effect.succeed({ findings: [wrong("S3", optionsFault(error))] })),
    Effect.scoped
  )
