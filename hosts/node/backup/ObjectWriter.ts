import { Context, DateTime, Effect, Layer, Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { ObjectSink, type IncomingObject } from "../../../adapters/signed-urls/ObjectSink.ts"
import { Unavailable, type InsufficientStorage } from "../../../core/model/Problem.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { decompressionBudget } from "../../../core/service/decompressionBudget.ts"
import { streamDigest } from "../../../core/service/streamDigest.ts"
import * as nativeDigests from "../../http/nativeDigests.ts"

/** The number of bytes differs from what was announced, or the store refused them. Nothing was stored. */
const notAccepted = new Unavailable({ detail: "The store refused the object." })

/** Writes whole objects under their original keys into the store that a deployment is moved to. */
export class ObjectWriter extends Context.Service<
  ObjectWriter,
  {
    /** Stores an object completely or not at all. An existing object is replaced. */
    readonly put: <E>(
      object: IncomingObject,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<void, E | InsufficientStorage | Unavailable>
  }
>()("slipway/hosts/node/backup/ObjectWriter") {}

/** Writes through the port that serves a host's own presigned URLs, with the digest that an upload would have. */
export const layerBySink = Layer.effect(
  ObjectWriter,
  Effect.map(ObjectSink, (sink) => ({
    put: (object, bytes) =>
      streamDigest(object, decompressionBudget(Infinity)).pipe(
        Effect.flatMap((digest) => sink.receive(object, bytes, digest)),
        Effect.scoped,
        Effect.provide(nativeDigests.layer),
        Effect.catchTag("WrongLength", () => Effect.fail(notAccepted))
      )
  }))
)

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
