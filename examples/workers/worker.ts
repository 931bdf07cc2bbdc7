import { Layer, Redacted } from "effect"
import * as memory from "slipway/adapters/memory"
import { layerHealth, makeSlipway } from "slipway/hosts/http"

const url = "http://127.0.0.1:8787"
// Each instance has its own memory. Use stores that all instances share.
const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs; keep it secret") })
const routes = Layer.merge(engines.routes, layerHealth)
const slipway = makeSlipway({ settings: { url }, ports: engines.ports, routes, background: false })

export default {
  fetch: (request: Request) =>
    slipway.fetch(request, { clientAddress: request.headers.get("cf-connecting-ip") ?? undefined }),
  // Call it by a cron trigger, such as each minute.
  scheduled: () => slipway.tasks.runOnce({ budget: "20 seconds" })
}
