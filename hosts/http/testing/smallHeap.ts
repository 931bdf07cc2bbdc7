/**
 * Run as a process with a small heap: serves eight requests at once, each with a third of a million empty objects as
 * recordings, and prints the statuses.
 */
import { Redacted } from "effect"
import * as memory from "../../../adapters/memory/index.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { makeSlipway } from "../slipway.ts"

const url = "http://127.0.0.1"
const engines = memory.engines({ url, secret: Redacted.make("test secret") })
const slipway = makeSlipway({ settings: { url }, ports: engines.ports, routes: engines.routes })

await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
const { key } = await slipway.run(
  Administration.use((admin) => admin.createKey({ account: "acme", name: "ci", scopes: ["preview_upload"] }))
)
const request = () =>
  new Request(`${url}/api/v1/previews`, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
    body: `{"recordings":[${Array(340_000).fill("{}").join(",")}]}`
  })
const answers = await Promise.all(Array.from({ length: 8 }, () => slipway.fetch(request())))
process.stdout.write(JSON.stringify(answers.map(({ status }) => status)))
await slipway.dispose()
