import { serve } from "@hono/node-server"
import { getConnInfo } from "@hono/node-server/conninfo"
import { Hono } from "hono"
import type { Server } from "node:http"
import { port, slipway, url } from "./slipway.ts"

await slipway.ready // rejects with the reason, such as a folder that another process uses
const app = new Hono()
app.get("/hello", (context) => context.text("Hello"))
app.all("*", (context) => slipway.fetch(context.req.raw, { clientAddress: getConnInfo(context).remote.address }))
const server = serve({ fetch: app.fetch, port, hostname: "127.0.0.1" }, () => console.log(url)) as Server
process.once("SIGTERM", async () => {
  server.close()
  await slipway.dispose()
  server.closeAllConnections()
})
