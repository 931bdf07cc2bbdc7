import { Layer, Redacted } from "effect"
import { createServer } from "node:http"
import * as embedded from "slipway/adapters/embedded"
import { layerHealth, makeSlipway, nodeListener } from "slipway/hosts/http"
import * as viewer from "slipway/hosts/viewer"

const port = Number(process.env.PORT ?? 3000)
const url = `http://127.0.0.1:${port}`
const { SLIPWAY_SECRET } = process.env
if (!SLIPWAY_SECRET) throw new Error("SLIPWAY_SECRET is missing; openssl rand -base64 32 makes one")
const secret = Redacted.make(SLIPWAY_SECRET)
const engines = embedded.engines({ data: "slipway-data", url, secret })
const routes = Layer.mergeAll(engines.routes, viewer.layer({ secret }), layerHealth)
const slipway = makeSlipway({ settings: { url }, ports: engines.ports, routes })

await slipway.ready // rejects with the reason, such as a folder that another process uses
const server = createServer(nodeListener(slipway)).listen(port, "127.0.0.1", () => console.log(url))
process.once("SIGTERM", async () => {
  server.close()
  await slipway.dispose() // waits up to 20 seconds for requests in flight
  server.closeAllConnections()
})
