import { Context, Data, type Effect, type Stream } from "effect"
import type { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import type { StreamDigest } from "../../core/service/contentDigest.ts"

/** The stream held more or fewer bytes than announced. */
export class WrongLength extends Data.TaggedError("WrongLength") {}

/** An object about to be received. */
export interface IncomingObject {
  readonly key: string
  readonly contentType: string
  readonly contentEncoding?: string
  readonly sizeBytes: number
}

/**
 * Where the PUT route stores what it receives.
 *
 * `receive` stores exactly `sizeBytes` bytes under the key and replaces what is there, completely or not at all. When
 * the stream fails, is interrupted, has another length (`WrongLength`) or finds no room (`InsufficientStorage`),
 * nothing is stored and the earlier object stays. It reads at most one chunk beyond the announced length. The bytes
 * also go through `digest`, whose result is kept with the object as its `contentHash`; without `digest` there is none.
 */
export class ObjectSink extends Context.Service<
  ObjectSink,
  {
    readonly receive: <E>(
      object: IncomingObject,
      bytes: Stream.Stream<Uint8Array, E>,
      digest?: StreamDigest
    ) => Effect.Effect<void, E | WrongLength | InsufficientStorage | Unavailable>
    /** The store keeps no digests, so none needs to be computed. */
    readonly keepsNoDigest?: true
  }
>()("slipway/adapters/signed-urls/ObjectSink") {}
