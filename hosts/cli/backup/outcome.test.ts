import { Redacted } from "effect"
import { assert, it } from "vitest"
import { storesOf } from "./outcome.ts"

it("names the stores that a restore would fill, without the password", () => {
  const local = { data: "/var/lib/slipway", database: undefined, file: undefined, s3: undefined }
  const url = Redacted.make("postgres://slipway:password@db.example/metadata")
  const s3 = { bucket: "builds", endpoint: undefined, region: undefined, prefix: "", forcePathStyle: false }
  assert.strictEqual(storesOf(local), "/var/lib/slipway")
  assert.strictEqual(storesOf({ ...local, file: "/srv/metadata.sqlite" }), "/srv/metadata.sqlite and /var/lib/slipway")
  assert.strictEqual(
    storesOf({ ...local, database: { url, maxConnections: 10 }, s3 }),
    "PostgreSQL (metadata at db.example:5432) and S3 (bucket builds)"
  )
})
