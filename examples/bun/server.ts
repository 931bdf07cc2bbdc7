import { port, slipway, url } from "./slipway.ts"

await slipway.ready // rejects with the reason, such as a folder that another process uses
const server = Bun.serve({
  port,
  hostname: "127.0.0.1",
  idleTimeout: 60,
  fetch: (request, server) => slipway.fetch(request, { clientAddress: server.requestIP(request)?.address })
})
console.log(url)
process.once("SIGTERM", async () => {
  await slipway.dispose()
  await server.stop(true)
})
