import { Layer, Redacted } from "effect"
import * as memory from "slipway/adapters/memory"
import { Administration } from "slipway/core"
import { layerHealth, makeSlipway } from "slipway/hosts/http"

const port = Number(process.env.PORT ?? 3000)
const url = process.env.URL ?? `http://127.0.0.1:${port}`
const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs; keep it secret") })
const routes = Layer.merge(engines.routes, layerHealth)
const slipway = makeSlipway({ settings: { url }, ports: engines.ports, routes })

await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
await slipway.run(Administration.use((admin) => admin.linkRepository({ account: "acme", owner: "acme", repo: "app" })))
const { key } = await slipway.run(
  Administration.use((admin) => admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] }))
)
console.log(`${url} ${key}`)

const handle = (request: Request) => slipway.fetch(request)
export { handle as DELETE, handle as GET, handle as HEAD, handle as OPTIONS, handle as POST, handle as PUT }
// Answers come from the stores of this process: they are never made at build time or on the edge.
export const dynamic = "force-dynamic"
export const runtime = "nodejs"
