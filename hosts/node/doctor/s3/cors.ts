import { Effect } from "effect"
import type { S3Settings } from "../../settings/engineSettings.ts"
import { fine, wrong, type Finding } from "../parts/Finding.ts"
import { awsFlags } from "../../engineErrors/s3Fault.ts"
import { request, type Answer } from "./request.ts"

/** An origin that no CORS rule names: presigned GETs must be readable from any origin. */
const origin = "https://slipway-doctor.invalid"

const rule = {
  CORSRules: [
    {
      AllowedOrigins: ["*"],
      AllowedMethods: ["GET"],
      AllowedHeaders: ["range", "if-range"],
      ExposeHeaders: ["accept-ranges", "content-encoding", "content-range"],
      MaxAgeSeconds: 86_400
    }
  ]
}

const allowsOrigin = (answer: Answer): boolean =>
  answer.status < 400 && ["*", origin].includes(answer.headers.get("access-control-allow-origin") ?? "")

const allowsRange = (answer: Answer): boolean => {
  const allowed = (answer.headers.get("access-control-allow-headers") ?? "").toLowerCase()
  return allowsOrigin(answer) && (allowed.includes("range") || allowed.includes("*"))
}

/**
 * Reads an object by its presigned URL like a page of another origin: as a whole, and by a range, which needs a
 * preflight.
 */
export const corsFinding = Effect.fnUntraced(function* (
  name: string,
  url: string,
  settings: S3Settings
): Effect.fn.Return<Finding> {
  const whole = yield* request(url, { headers: { origin } })
  const asked = yield* request(url, {
    method: "OPTIONS",
    headers: { origin, "access-control-request-method": "GET", "access-control-request-headers": "range" }
  })
  if (whole !== undefined && asked !== undefined && allowsOrigin(whole) && allowsRange(asked)) {
    return fine(name, "pages of any origin may read presigned URLs, by ranges too")
  }
  const { bucket } = settings
  const what =
    whole === undefined || !allowsOrigin(whole)
      ? `the bucket ${bucket} lets no page of another origin read its presigned URLs`
      : `the bucket ${bucket} lets pages of other origins read no ranges`
  return wrong(name, {
    detail: what,
    hint: `aws s3api put-bucket-cors ${awsFlags(settings)} --cors-configuration '${JSON.stringify(rule)}'`
  })
})
