/** Apart from `ObjectWriter.ts`, so that a move to files doesn't load an HTTP client. */
import { DateTime, Effect, Layer } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { notAccepted, ObjectWriter } from "./ObjectWriter.ts"

/** Writes through presigned URLs that the store itself serves. */
export const layerByUrl = Layer.effect(
  ObjectWriter,
  Effect.gen(function* () {
    const store = yield* ObjectStore
    const http = yield* HttpClient.HttpClient
    return ObjectWriter.of({
      put: Effect.fnUntraced(function* ({ contentEncoding, contentType, key, sizeBytes }, bytes) {
        const expiresAt = DateTime.add(yield* DateTime.now, { hours: 1 })
        const [url = ""] = yield* store.presignPuts([{ key, contentType, sizeBytes, expiresAt }])
        const request = HttpClientRequest.put(url).pipe(
          HttpClientRequest.bodyStream(bytes, { contentType, contentLength: sizeBytes }),
          contentEncoding === undefined
            ? (same) => same
            : HttpClientRequest.setHeader("content-encoding", contentEncoding)
        )
        const { status } = yield* Effect.catchTag(http.execute(request), "HttpClientError", () =>
          Effect.fail(notAccepted)
        )
        if (status !== 200) return yield* notAccepted
      })
    })
  })
).pipe(Layer.provide(NodeHttpClient.layerNodeHttp))
