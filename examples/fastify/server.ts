import Fastify from "fastify"
import { Layer, Redacted } from "effect"
import * as memory from "slipway/adapters/memory"
import { Administration } from "slipway/core"
import { layerHealth, makeSlipway, nodeListener } from "slipway/hosts/http"

const port = Number(process.env.PORT ?? 3000)
const url = `http://127.0.0.1:${port}`
const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs; keep it secret") })
const routes = Layer.merge(engines.routes, layerHealth)
const slipway = makeSlipway({ settings: { url }, ports: engines.ports, routes })

await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
await slipway.run(Administration.use((admin) => admin.linkRepository({ account: "acme", owner: "acme", repo: "app" })))
const { key } = await slipway.run(
  Administration.use((admin) => admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] }))
)

const app = Fastify()
app.get("/hello", () => "Hello")
await app.register((scope, _options, done) => {
  // Slipway reads the bodies itself, so Fastify hands them on as they are.
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser("*", (_request, _body, parsed) => parsed(null))
  const listener = nodeListener(slipway)
  scope.all("/*", (request, reply) => {
    reply.hijack()
    listener(request.raw, reply.raw)
  })
  done()
})
await app.listen({ port, host: "127.0.0.1" })
console.log(`${url} ${key}`)
