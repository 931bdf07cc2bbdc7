import { Channel, Context, Data, Stream } from "effect"

/** The bytes are not valid gzip: another format, damaged, truncated, or followed by other bytes. */
export class NotGzip extends Data.TaggedError("NotGzip") {}

/** Decompresses a stream of gzip. */
export type Decompress = <E>(compressed: Stream.Stream<Uint8Array, E>) => Stream.Stream<Uint8Array, E | NotGzip>

/**
 * Decompresses gzip, one member of RFC 1952, as a stream. It decompresses only a few chunks ahead of its reader, so that a
 * few compressed bytes never fill the memory. It fails with `NotGzip`, or with the failure of the compressed stream. After it
 * ends, fails or is interrupted, it does not read the compressed stream.
 *
 * The default is the standard `DecompressionStream`, which runs anywhere. A host provides a faster one if its platform has it.
 */
export const Gunzip = Context.Reference<Decompress>("slipway/core/ports/Gunzip", {
  defaultValue: () => (compressed) =>
    Stream.pipeThroughChannel(
      Stream.map(compressed, (bytes) => new Uint8Array(bytes)),
      Channel.fromTransformStream({
        evaluate: () => new DecompressionStream("gzip"),
        onError: () => new NotGzip()
      })
    )
})
