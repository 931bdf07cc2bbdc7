import { Layer, Redacted } from "effect"
import * as memory from "slipway/adapters/memory"
import { Administration } from "slipway/core"
import { layerHealth, makeSlipway } from "slipway/hosts/http"

const port = Number(Deno.env.get("PORT") ?? 3000)
const url = `http://127.0.0.1:${port}`
const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs; keep it secret") })
const routes = Layer.merge(engines.routes, layerHealth)
const slipway = makeSlipway({ settings: { url }, ports: engines.ports, routes })

await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
await slipway.run(Administration.use((admin) => admin.linkRepository({ account: "acme", owner: "acme", repo: "app" })))
const { key } = await slipway.run(
  Administration.use((admin) => admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] }))
)

Deno.serve({ port, hostname: "127.0.0.1", onListen: () => console.log(`${url} ${key}`) }, (request, { remoteAddr }) =>
  slipway.fetch(request, { clientAddress: remoteAddr.hostname })
)
