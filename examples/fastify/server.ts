import Fastify from "fastify"
import { toFastify } from "slipway/hosts/http"
import { port, slipway, url } from "./slipway.ts"

await slipway.ready // rejects with the reason, such as a folder that another process uses
const app = Fastify({ forceCloseConnections: true })
app.get("/hello", () => "Hello")
await app.register(toFastify(slipway))
await app.listen({ port, host: "127.0.0.1" })
console.log(url)
process.once("SIGTERM", async () => {
  await slipway.dispose()
  await app.close()
})
