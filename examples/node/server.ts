import { Layer, Redacted } from "effect"
import { createServer } from "node:http"
import * as memory from "slipway/adapters/memory"
import { Administration } from "slipway/core"
import { makeSlipway, nodeListener } from "slipway/hosts/http"
import * as viewer from "slipway/hosts/viewer"

const port = Number(process.env.PORT ?? 3000)
const url = `http://127.0.0.1:${port}`
const secret = Redacted.make("signs URLs of uploads and replays; keep it secret")
const engines = memory.engines({ url, secret })
const routes = Layer.merge(engines.routes, viewer.layer({ secret }))
const slipway = makeSlipway({ settings: { url }, ports: engines.ports, routes })

await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
await slipway.run(Administration.use((admin) => admin.linkRepository({ account: "acme", owner: "acme", repo: "app" })))
const { key } = await slipway.run(
  Administration.use((admin) => admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] }))
)

const listener = nodeListener(slipway)
createServer((request, response) => {
  if (request.url === "/hello") response.end("Hello from the same server\n")
  else listener(request, response)
}).listen(port, "127.0.0.1", () => console.log(`${url}/docs ${key}`))
