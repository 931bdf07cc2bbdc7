import process from "node:process"
import { port, slipway, url } from "./slipway.ts"

await slipway.ready // rejects with the reason, such as a folder that another process uses
const stopped = new AbortController()
const options = { port, hostname: "127.0.0.1", signal: stopped.signal, onListen: () => console.log(url) }
Deno.serve(options, (request, { remoteAddr }) => slipway.fetch(request, { clientAddress: remoteAddr.hostname }))
process.once("SIGTERM", async () => {
  await slipway.dispose()
  stopped.abort()
})
