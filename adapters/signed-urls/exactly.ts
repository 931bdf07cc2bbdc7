import { Effect, Stream } from "effect"
import { WrongLength } from "./ObjectSink.ts"

/**
 * Passes the bytes on, and fails with `WrongLength` at the first byte too many, or at the end when bytes are missing.
 */
export const exactly =
  (sizeBytes: number) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | WrongLength, R> =>
    Stream.suspend(() => {
      let seen = 0
      return bytes.pipe(
        Stream.mapEffect((chunk) => {
          seen += chunk.byteLength
          return seen > sizeBytes ? Effect.fail(new WrongLength()) : Effect.succeed(chunk)
        }),
        Stream.concat(Stream.suspend(() => (seen < sizeBytes ? Stream.fail(new WrongLength()) : Stream.empty)))
      )
    })
