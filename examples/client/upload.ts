import { createClient } from "slipway/client"

const client = createClient({ url: process.env.SLIPWAY_URL ?? "", key: process.env.SLIPWAY_KEY ?? "" })
const bundle = { body: { path: "index.js" }, contentType: "text/javascript" }

const build = await client.builds.upload(
  {
    owner: "acme",
    repo: "app",
    branch: "main",
    platform: "ios",
    commitSha: process.env.COMMIT ?? "", // 40 hexadecimal digits
    bundle,
    files: [{ path: "assets/logo.png", contentType: "image/png", body: { path: "assets/logo.png" } }]
  },
  { onProgress: ({ sentBytes, totalBytes }) => console.error(`${sentBytes} of ${totalBytes} bytes`) }
)
console.log(build.url)
// A preview with the events of a failed test, the run that refers to it, and a link for people without a key.
const preview = await client.previews.upload({
  owner: "acme",
  repo: "app",
  billingKind: "test_run",
  bundle,
  recordings: [
    { name: "events.jsonl", kind: "events", contentType: "application/x-ndjson", body: { path: "events.jsonl" } }
  ]
})
const run = await client.testRuns.register({
  owner: "acme",
  repo: "app",
  previewShareId: preview.shareId,
  kind: "maestro",
  name: "Pay",
  status: "failed",
  failureMessage: "The button was not found",
  failedStepIndex: 0 // from 0
})
console.log(run.traceUrl)
console.log((await client.testRuns.share(run.id, { expiresInSeconds: 86_400 })).url)
