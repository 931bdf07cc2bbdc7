/** The Slipway that the servers beside this file mount: SQLite, files and the pages. */
import { Layer, Redacted } from "effect"
import * as embedded from "slipway/adapters/embedded"
import { layerHealth, makeSlipway } from "slipway/hosts/http"
import * as viewer from "slipway/hosts/viewer"

export const port = Number(process.env.PORT ?? 3000)
// The public URL. It may have a path, such as https://example.com/slipway.
export const { SLIPWAY_SECRET, SLIPWAY_URL: url = `http://127.0.0.1:${port}` } = process.env
if (!SLIPWAY_SECRET) throw new Error("SLIPWAY_SECRET is missing; openssl rand -base64 32 makes one")
const secret = Redacted.make(SLIPWAY_SECRET)
const engines = embedded.engines({ data: "slipway-data", url, secret })

export const slipway = makeSlipway({
  settings: { url },
  ports: engines.ports,
  routes: Layer.mergeAll(engines.routes, viewer.layer({ secret }), layerHealth),
  events: async ({ type }) => console.log(type)
})
