import { Channel, Context, Data, Stream } from "effect"

/** The bytes are not valid gzip: another format, damaged, cut short, or with something else behind them. */
export class NotGzip extends Data.TaggedError("NotGzip") {}

/** Decompresses a stream of gzip. */
export type Decompress = <E>(compressed: Stream.Stream<Uint8Array, E>) => Stream.Stream<Uint8Array, E | NotGzip>

/**
 * Decompresses gzip, one member of RFC 1952, as it is read. It decompresses only a few chunks ahead of its reader, so that a
 * few compressed bytes never fill the memory. It fails with `NotGzip`, or with the failure of the compressed stream. When it
 * ends, fails or is left early, the compressed stream is not read any further.
 *
 * The default is the `DecompressionStream` of the Web's standard, which runs anywhere; a host gives a faster one where
 * its platform has it.
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
