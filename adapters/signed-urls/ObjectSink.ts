import { Context, Data } from "effect"
import type { Effect, Stream } from "effect"
import type { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import type { PassingDigest } from "../../core/service/passingDigest.ts"

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
 * Where the PUT route puts what it receives: the side of a store that a presigned URL opens.
 *
 * `receive` stores exactly `sizeBytes` bytes under the key, replacing what is there, whole or not at all: when the
 * stream fails, is interrupted or has another length (`WrongLength`), or there is no room for it (`InsufficientStorage`),
 * nothing of it stays and what was there is kept. It reads no more than one chunk past the announced length. What `digest`
 * takes meanwhile is kept with the object as its `contentHash`; without one, none is taken.
 */
export class ObjectSink extends Context.Service<
  ObjectSink,
  {
    readonly receive: <E>(
      object: IncomingObject,
      bytes: Stream.Stream<Uint8Array, E>,
      digest?: PassingDigest
    ) => Effect.Effect<void, E | WrongLength | InsufficientStorage | Unavailable>
  }
>()("slipway/adapters/signed-urls/ObjectSink") {}
