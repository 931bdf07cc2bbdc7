import { openAsBlob } from "node:fs"
import { Console, Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { SlipwayClient } from "slipway/client/effect"

const { SLIPWAY_KEY = "", SLIPWAY_URL = "https://slipway.example" } = process.env
const upload = Effect.gen(function* () {
  const { builds } = yield* SlipwayClient
  const body = yield* Effect.promise(() => openAsBlob("index.js"))
  const events = builds.uploading({
    owner: "acme",
    repo: "app",
    branch: "main",
    platform: "ios",
    commitSha: "a".repeat(40),
    bundle: { body, contentType: "text/javascript" }
  })
  yield* Stream.runForEach(events, (event) =>
    event._tag === "Uploaded"
      ? Console.log(event.uploaded.url)
      : Console.error(`${event.sentBytes} of ${event.totalBytes} bytes`)
  )
}).pipe(Effect.catchTag("QuotaExceeded", ({ detail }) => Console.error(detail)))

const client = SlipwayClient.layer({ url: SLIPWAY_URL, key: Redacted.make(SLIPWAY_KEY) })
await Effect.runPromise(Effect.provide(upload, Layer.provide(client, FetchHttpClient.layer)))
