/** The Slipway of a function: stores that all instances share, and nothing that runs between requests. */
import { Layer, Redacted } from "effect"
import * as postgres from "slipway/adapters/postgres"
import * as s3 from "slipway/adapters/s3"
import { layerHealth, makeSlipway } from "slipway/hosts/http"
import * as viewer from "slipway/hosts/viewer"

const { DATABASE_URL, SLIPWAY_S3_BUCKET, SLIPWAY_SECRET, SLIPWAY_URL } = process.env
if (!DATABASE_URL || !SLIPWAY_S3_BUCKET || !SLIPWAY_SECRET || !SLIPWAY_URL) {
  throw new Error("DATABASE_URL, SLIPWAY_S3_BUCKET, SLIPWAY_SECRET or SLIPWAY_URL is missing")
}
const client = postgres.layerClient({ url: Redacted.make(DATABASE_URL), maxConnections: 2 })
const metadata = postgres.layer.pipe(Layer.provide(postgres.layerMigrations), Layer.provide(client))
const pages = viewer.layer({ secret: Redacted.make(SLIPWAY_SECRET) })

export const slipway = makeSlipway({
  settings: { url: SLIPWAY_URL },
  ports: Layer.merge(metadata, s3.layer({ bucket: SLIPWAY_S3_BUCKET })),
  routes: Layer.merge(pages, layerHealth),
  events: async ({ type }) => console.log(type),
  background: false
})
