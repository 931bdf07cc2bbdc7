import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect } from "effect"
import { inspect } from "node:util"
import { it } from "../../../core/testing/layer.ts"
import { loadSettings } from "./settings.ts"

/** Reads the given settings, named as in the environment, and no others. */
const load = (env: Readonly<Record<string, string>>) =>
  Effect.provideService(loadSettings({ flags: {} }), ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(env))

const bucket = { SLIPWAY_S3_BUCKET: "builds" }
const url = "postgresql://slipway:p%40ssw0rd@db.example:5432/slipway?sslmode=require"

describe("the settings of the engines", () => {
  it.effect("select the embedded engines by default", function* () {
    const { database, s3 } = yield* load({})
    assert.deepStrictEqual({ database, s3 }, { database: undefined, s3: undefined })
  })

  it.effect("select each engine independently", function* () {
    const { database, s3 } = yield* load({ DATABASE_URL: url })
    assert.strictEqual(database?.maxConnections, 10)
    assert.isUndefined(s3)
    const other = yield* load({
      ...bucket,
      SLIPWAY_S3_ENDPOINT: "https://s3.example:9000",
      SLIPWAY_S3_REGION: "eu-central-1",
      SLIPWAY_S3_PREFIX: "ci/slipway/",
      SLIPWAY_S3_FORCE_PATH_STYLE: "true",
      SLIPWAY_S3_UPLOADS: "host"
    })
    assert.isUndefined(other.database)
    assert.deepStrictEqual(other.s3, {
      bucket: "builds",
      endpoint: "https://s3.example:9000",
      region: "eu-central-1",
      prefix: "ci/slipway/",
      forcePathStyle: true,
      uploads: "host"
    })
    assert.strictEqual((yield* load(bucket)).s3?.uploads, "direct")
  })

  it.effect("never print the database URL, neither with the settings nor in an error", function* () {
    const settings = yield* load({ DATABASE_URL: url })
    assert.notInclude(inspect(settings, { depth: 9 }) + JSON.stringify(settings), "ssw0rd")
    const refused = yield* Effect.flip(load({ DATABASE_URL: "postgres://slipway:p@ssw0rd%@db:x" }))
    assert.include(refused.message, "DATABASE_URL (--database-url) must be a URL such as")
    assert.notInclude(refused.message, "ssw0rd")
  })

  for (const [env, value, said, others] of [
    ["DATABASE_URL", "mysql://user@host/database", "must be a URL such as postgres://user:password@host:5432/"],
    ["DATABASE_URL", "db.example", "must be a URL such as"],
    ["SLIPWAY_DATABASE_CONNECTIONS", "0", "must be a whole number from 1 to 1000", { DATABASE_URL: url }],
    ["SLIPWAY_DATABASE_CONNECTIONS", "1.5", "must be a whole number from 1 to 1000", { DATABASE_URL: url }],
    ["SLIPWAY_DATABASE_CONNECTIONS", "5", "needs DATABASE_URL (--database-url)"],
    ["SLIPWAY_S3_BUCKET", "two words", "must be the name of a bucket"],
    [
      "SLIPWAY_S3_ENDPOINT",
      "s3.example",
      "must be an http or https URL of one host, without query or fragment",
      bucket
    ],
    ["SLIPWAY_S3_ENDPOINT", "http://s3.example", "needs SLIPWAY_S3_BUCKET (--s3-bucket)"],
    ["SLIPWAY_S3_REGION", "eu central", "must be the name of a region, such as eu-central-1", bucket],
    ["SLIPWAY_S3_REGION", "eu-central-1", "needs SLIPWAY_S3_BUCKET (--s3-bucket)"],
    ["SLIPWAY_S3_PREFIX", "slipway", "must be segments that each end with a slash, such as slipway/", bucket],
    ["SLIPWAY_S3_PREFIX", "/slipway/", "must be segments that each end with a slash, such as slipway/", bucket],
    ["SLIPWAY_S3_PREFIX", "a/../b/", "must be segments that each end with a slash, such as slipway/", bucket],
    ["SLIPWAY_S3_PREFIX", "slipway/", "needs SLIPWAY_S3_BUCKET (--s3-bucket)"],
    ["SLIPWAY_S3_FORCE_PATH_STYLE", "yes", "must be true or false", bucket],
    ["SLIPWAY_S3_FORCE_PATH_STYLE", "false", "needs SLIPWAY_S3_BUCKET (--s3-bucket)"],
    ["SLIPWAY_S3_UPLOADS", "proxy", "must be direct or host", bucket],
    ["SLIPWAY_S3_UPLOADS", "host", "needs SLIPWAY_S3_BUCKET (--s3-bucket)"],
    ["SLIPWAY_SENDFILE", "x-accel-redirect", "is for files, not for SLIPWAY_S3_BUCKET (--s3-bucket)", bucket],
    ["SLIPWAY_SENDFILE", "x-sendfile", "must be off or x-accel-redirect"],
    ["SLIPWAY_SENDFILE", "x-accel-redirect", "needs SLIPWAY_TRUSTED_PROXIES (--trusted-proxies)"]
  ] as const) {
    it.effect(`${env}=${value} is refused: it ${said}`, function* () {
      const refused = yield* Effect.flip(load({ ...others, [env]: value }))
      assert.strictEqual(refused._tag, "SettingRefused")
      assert.match(refused.message, new RegExp(`^${env} \\(--[a-z0-9-]+\\) `))
      assert.include(refused.message, said)
    })
  }
})
