import { Context, Effect, Layer, type Stream } from "effect"
import { ObjectSink, type IncomingObject } from "../../../adapters/signed-urls/SignedUrls.ts"
import { Unavailable, type InsufficientStorage } from "../../../core/model/Problem.ts"
import { decompressionBudget, streamDigest } from "../../../core/service/contentDigest.ts"
import * as nativeDigests from "../../http/nativeDigests.ts"

/** The number of bytes differs from what was announced, or the store refused them. Nothing was stored. */
export const notAccepted = new Unavailable({ detail: "The store refused the object." })

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
