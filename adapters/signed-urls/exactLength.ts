import { Array, Effect, Stream } from "effect"
import { WrongLength } from "./ObjectSink.ts"

/**
 * Passes the bytes on. Fails with `WrongLength` at the first chunk that exceeds the size, or at the end if bytes are
 * missing. Chunks that arrive together are passed on together.
 */
export const exactLength =
  (sizeBytes: number) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | WrongLength, R> =>
    Stream.suspend(() => {
      let seen = 0
      const fits = ({ byteLength }: Uint8Array) => (seen += byteLength) <= sizeBytes
      const counted = Stream.transformPull(bytes, (pull) =>
        Effect.succeed(
          Effect.suspend(() => {
            // The chunks before the one that was too many have been passed on.
            if (seen > sizeBytes) return Effect.fail(new WrongLength())
            return Effect.flatMap(pull, (chunks) => {
              const fitting = Array.takeWhile(chunks, fits)
              return Array.isReadonlyArrayNonEmpty(fitting) ? Effect.succeed(fitting) : Effect.fail(new WrongLength())
            })
          })
        )
      )
      const end = Stream.suspend(() => (seen < sizeBytes ? Stream.fail(new WrongLength()) : Stream.empty))
      return Stream.concat(counted, end)
    })
