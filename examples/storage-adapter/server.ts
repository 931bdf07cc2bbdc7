import { Layer, Redacted } from "effect"
import { createServer } from "node:http"
import { objects } from "slipway/adapters/embedded"
import { layerMetadata } from "slipway/adapters/key-value"
import { SignedUrls } from "slipway/adapters/signed-urls"
import { makeSlipway, nodeListener } from "slipway/hosts/http"
import { openTable } from "./table.ts"

const url = "http://127.0.0.1:3000"
const { SLIPWAY_SECRET } = process.env
if (!SLIPWAY_SECRET) throw new Error("SLIPWAY_SECRET is missing; openssl rand -base64 32 makes one")
const secret = Redacted.make(SLIPWAY_SECRET)
const files = objects({ directory: "objects" })
const urls = SignedUrls.layer({ secret, baseUrl: url })
const metadata = layerMetadata(openTable("slipway.db"))
const slipway = makeSlipway({
  settings: { url },
  ports: Layer.merge(metadata, Layer.provide(files.ports, urls)),
  routes: Layer.provide(files.routes, urls)
})
await slipway.ready
createServer(nodeListener(slipway)).listen(3000, "127.0.0.1", () => console.log(url))
