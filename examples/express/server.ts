import express from "express"
import { nodeListener } from "slipway/hosts/http"
import { port, slipway, url } from "./slipway.ts"

await slipway.ready // rejects with the reason, such as a folder that another process uses
const app = express()
app.get("/hello", (_request, response) => void response.send("Hello"))
// Before body parsers, so that uploads of JSON keep their bytes; the API itself works behind express.json() too.
app.use(nodeListener(slipway))
const server = app.listen(port, "127.0.0.1", () => console.log(url))
process.once("SIGTERM", async () => {
  server.close()
  await slipway.dispose() // waits up to 20 seconds for requests in flight
  server.closeAllConnections()
})
