import { assert, describe, it } from "vitest"
import { StoreFault } from "../../../adapters/s3/attempt.ts"
import { s3Fault } from "./s3.ts"

const settings = {
  bucket: "builds",
  endpoint: "https://s3.example",
  region: undefined,
  prefix: undefined,
  forcePathStyle: undefined
}

describe("what is wrong with a bucket", () => {
  for (const [name, detail, status, said, hint] of [
    ["CredentialsProviderError", "", undefined, "there are no credentials", "AWS_ACCESS_KEY_ID"],
    ["NoSuchBucket", "", 404, "there is no bucket builds", "--endpoint-url https://s3.example --bucket builds"],
    ["NoSuchBucket", "", 404, "there is no bucket builds", "SLIPWAY_S3_FORCE_PATH_STYLE=true"],
    ["PermanentRedirect", "us-east-1", 301, "the bucket builds is in another region", "SLIPWAY_S3_REGION"],
    ["RequestTimeTooSkewed", "", 403, "the store's clock and this machine's differ", "NTP"],
    [
      "ENOTFOUND",
      "getaddrinfo ENOTFOUND builds.s3.example",
      undefined,
      "https://s3.example has no host name for the bucket builds",
      "SLIPWAY_S3_FORCE_PATH_STYLE=true"
    ],
    [
      "TimeoutError",
      "",
      undefined,
      "https://s3.example can't be reached: no answer came in time",
      "SLIPWAY_S3_ENDPOINT"
    ],
    [
      "SlowDown",
      "Please reduce your request rate.",
      503,
      "https://s3.example answers ListObjectsV2 with 503 SlowDown Please reduce your request rate",
      "the logs of the store"
    ],
    ["Odd", "strange", 418, "https://s3.example answers ListObjectsV2 with 418 Odd strange", "SLIPWAY_S3_ENDPOINT"]
  ] as const) {
    it(`${name} ${detail}: ${hint}`, () => {
      const fault = s3Fault(new StoreFault({ call: "ListObjectsV2", name, status, detail }), settings)
      assert.strictEqual(fault.detail.slice(0, said.length), said)
      assert.include(fault.hint, hint)
      // A line has a full stop after both.
      assert.notMatch(`${fault.detail}\n${fault.hint}`, /\.$/m)
    })
  }
})
