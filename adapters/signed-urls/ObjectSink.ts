import { Context, Data } from "effect"
import type { Effect, Stream } from "effect"
import type { Unavailable } from "../../core/model/Problem.ts"

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
 * stream fails, is interrupted or has another length (`WrongLength`), nothing of it stays and what was there is kept.
 * It reads no more than one chunk past the announced length.
 */
export class ObjectSink extends Context.Service<
  ObjectSink,
  {
    readonly receive: <E>(
      object: IncomingObject,
      bytes: Stream.Stream<Uint8Array, E>
    ) => Effect.Effect<void, E | WrongLength | Unavailable>
  }
>()("slipway/adapters/signed-urls/ObjectSink") {}
