/** What the SDK finds in the environment when options are left out. */
import { afterEach, assert, beforeEach, describe } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { vi } from "vitest"
import { it } from "../../core/testing/layer.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import type { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { OptionsUnusable, type S3Options } from "./index.ts"
import { hasS3, newPrefix, openStore, withLogLines } from "./testing/server.ts"

/** The key id and the region in a signed URL. */
const signedWith = Effect.fnUntraced(function* ({ presignGet }: ObjectStore["Service"]) {
  const expiresAt = DateTime.add(yield* DateTime.now, { minutes: 1 })
  const { searchParams } = new URL(yield* presignGet({ key: "a", expiresAt }))
  const [accessKeyId, , region] = searchParams.get("X-Amz-Credential")?.split("/") ?? []
  return { accessKeyId, region }
})

beforeEach(() => {
  // Hides this machine's own settings from the SDK.
  for (const name of [
    "AWS_REGION",
    "AWS_DEFAULT_REGION",
    "AWS_PROFILE",
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY"
  ]) {
    vi.stubEnv(name, undefined)
  }
  for (const name of ["AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"]) vi.stubEnv(name, "/nowhere/at/all")
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true")
})

afterEach(() => {
  vi.unstubAllEnvs()
})

const credentials = { accessKeyId: Redacted.make("AKID"), secretAccessKey: Redacted.make("secret") }
const endpoint = "http://127.0.0.1:1"

describe("the region", () => {
  it.live("is the given one, else the SDK's, else us-east-1 where there is an endpoint", function* () {
    const regionOf = (options: Partial<S3Options>) =>
      Effect.flatMap(openStore({ bucket: "bucket", credentials, ...options }), signedWith)
    assert.deepStrictEqual(yield* regionOf({ endpoint }), { accessKeyId: "AKID", region: "us-east-1" })
    vi.stubEnv("AWS_REGION", "eu-west-3")
    assert.deepStrictEqual(yield* regionOf({ endpoint }), { accessKeyId: "AKID", region: "eu-west-3" })
    assert.deepStrictEqual(yield* regionOf({}), { accessKeyId: "AKID", region: "eu-west-3" })
    assert.deepStrictEqual(yield* regionOf({ region: "default" }), { accessKeyId: "AKID", region: "default" })
  })

  it.live("is required where the endpoint is missing", function* () {
    assert.instanceOf(yield* Effect.flip(openStore({ bucket: "bucket", credentials })), OptionsUnusable)
  })
})

describe("credentials", () => {
  it.live("make the store Unavailable while they are missing", function* () {
    const store = yield* openStore({ bucket: "bucket", endpoint })
    const { lines, result } = yield* withLogLines(Effect.flip(signedWith(store)))
    assert.strictEqual(result, Unavailable.default)
    assert.match(lines.join("\n"), /can't be reached sign: CredentialsProviderError/)
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKID")
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret")
    assert.strictEqual((yield* signedWith(store)).accessKeyId, "AKID")
  })

  it.live.runIf(hasS3)("come from the environment when none are given, and open the bucket", function* () {
    const { credentials, ...options } = yield* newPrefix
    vi.stubEnv("AWS_ACCESS_KEY_ID", Redacted.value(credentials.accessKeyId))
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", Redacted.value(credentials.secretAccessKey))
    const store = yield* openStore(options)
    assert.deepStrictEqual(yield* store.list("uploads/"), [])
    assert.strictEqual((yield* signedWith(store)).accessKeyId, Redacted.value(credentials.accessKeyId))
  })
})
