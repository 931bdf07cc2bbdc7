import Koa from "koa"
import { nodeListener } from "slipway/hosts/http"
import { port, slipway, url } from "./slipway.ts"

await slipway.ready // rejects with the reason, such as a folder that another process uses
const app = new Koa()
app.use((context, next) => (context.path === "/hello" ? void (context.body = "Hello") : next()))
const listener = nodeListener(slipway)
app.use((context) => {
  context.respond = false // Slipway responds itself
  listener(context.req, context.res)
})
const server = app.listen(port, "127.0.0.1", () => console.log(url))
process.once("SIGTERM", async () => {
  server.close()
  await slipway.dispose()
  server.closeAllConnections()
})
