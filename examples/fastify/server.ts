import Fastify from "fastify"
import { nodeListener } from "slipway/hosts/http"
import { port, slipway, url } from "./slipway.ts"

const app = Fastify({ forceCloseConnections: true })
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
console.log(url)
process.once("SIGTERM", async () => {
  await slipway.dispose()
  await app.close()
})
