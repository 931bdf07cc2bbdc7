import type { StoreFault } from "../../../adapters/s3/attempt.ts"
import type { S3Settings } from "../settings/engineSettings.ts"
import type { Fault } from "./Fault.ts"
import { networkFault } from "./networkFault.ts"

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
      detail: `${server} answers ${fault.call} with ${[fault.status, fault.name, fault.detail].filter(Boolean).join(" ")}`,
      hint: "correct SLIPWAY_S3_ENDPOINT, or check the logs of the store and of the proxy before it"
    }
  )
}
