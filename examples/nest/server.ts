import { Module } from "@nestjs/common"
import { NestFactory } from "@nestjs/core"
import { nodeListener } from "slipway/hosts/http"
import { port, slipway, url } from "./slipway.ts"

// oxlint-disable-next-line typescript/no-extraneous-class
class AppModule {} // the module of your application; its decorator is a call, because Node runs this file without a compiler
Module({})(AppModule)

await slipway.ready // rejects with the reason, such as a folder that another process uses
const app = await NestFactory.create(AppModule)
app.use("/slipway", nodeListener(slipway)) // the path of SLIPWAY_URL, before the body parsers that listen adds
await app.listen(port, "127.0.0.1")
console.log(url)
process.once("SIGTERM", async () => {
  const closed = app.close()
  await slipway.dispose()
  app.getHttpServer().closeAllConnections()
  await closed
})
