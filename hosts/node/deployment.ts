/**
 * The stores of a deployment that is moved, opened to be read or to be filled. This needs no host; one may run on the
 * stores that are read.
 */
import { Context, DateTime, Effect, Layer, Redacted, type Stream } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import * as filesystem from "../../adapters/filesystem/index.ts"
import { type IncomingObject, ObjectSink, SignedUrls } from "../../adapters/signed-urls/SignedUrls.ts"
import * as sqlite from "../../adapters/sqlite/index.ts"
import { type InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { decompressionBudget, streamDigest } from "../../core/service/contentDigest.ts"
import * as nativeDigests from "../http/nativeDigests.ts"
import { metadataFile, refuseMissing } from "./engines/sqlite.ts"
import { filesIn } from "./settings/dataFolder.ts"
import type { DatabaseSettings, EngineSettings } from "./settings/engineSettings.ts"

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
>()("slipway/hosts/node/deployment/ObjectWriter") {}

/** Writes through the port that serves a host's own presigned URLs, with the digest that an upload would have. */
const layerBySink = Layer.effect(
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
const layerByUrl = Layer.effect(
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
).pipe(
  Layer.provide(
    // A move to files doesn't load it.
    Layer.unwrap(
      Effect.map(
        Effect.promise(() => import("@effect/platform-node/NodeHttpClient")),
        ({ layerNodeHttp }) => layerNodeHttp
      )
    )
  )
)

/** The settings that name the stores of a deployment. */
type DeploymentSettings = EngineSettings & { readonly data: string }

const onServer = (database: DatabaseSettings) =>
  Layer.unwrap(
    Effect.map(
      Effect.promise(() => import("./engines/postgres.ts")),
      ({ layerPostgresSnapshot }) => layerPostgresSnapshot(database)
    )
  )

/** A signed URL is never used here, so the deployment's secret is not needed. */
const signing = SignedUrls.layer({ secret: Redacted.make(crypto.randomUUID()), baseUrl: "http://localhost" })

const objects = ({ data, s3, sendfile }: DeploymentSettings) =>
  s3 === undefined
    ? layerBySink.pipe(Layer.provideMerge(filesystem.layer(filesIn({ data, sendfile }))), Layer.provide(signing))
    : Layer.unwrap(
        Effect.map(
          Effect.promise(() => import("./engines/s3.ts")),
          ({ layerBucket }) => Layer.provideMerge(layerByUrl, layerBucket(s3))
        )
      )

/** The stores of a deployment, to be read. */
export const layerToRead = (settings: DeploymentSettings) => {
  const file = metadataFile(settings)
  const embedded = Layer.unwrap(Effect.as(refuseMissing(settings), sqlite.layerSource({ file })))
  const metadata = settings.database === undefined ? embedded : onServer(settings.database)
  return Layer.mergeAll(metadata, objects(settings))
}

/** The stores of a deployment, to be filled. They are created if missing, with this version's schema. */
export const layerToFill = (settings: DeploymentSettings) => {
  const file = metadataFile(settings)
  const embedded = Layer.mergeAll(sqlite.layerTarget, sqlite.layerSource({ file })).pipe(
    Layer.provide(sqlite.layerMigrations),
    Layer.provide(sqlite.layerClient({ file }))
  )
  const metadata = settings.database === undefined ? embedded : onServer(settings.database)
  return Layer.mergeAll(metadata, objects(settings))
}
