import { Effect, Stream } from "effect"

/**
 * Reads all bytes and calls `take` with one piece after the other. The memory of a piece is reused after `take` has ended, so a
 * caller that keeps bytes must copy them.
 */
export type EachPiece<E> = (take: (piece: Uint8Array) => Effect.Effect<void>) => Effect.Effect<void, E>

const each: unique symbol = Symbol("slipway/core/ports/pieces")

/** A stream of bytes that may have a cheaper way to read it. */
export interface Pieces<E> extends Stream.Stream<Uint8Array, E> {
  readonly [each]?: EachPiece<E>
}

/**
 * Adds a cheaper way to read a stream: without a stream step or an allocation for each piece. The stream and `eachPiece` return the
 * same bytes; only one of them may be run, once. A stream that is derived from it, as by `Stream.map`, doesn't have it.
 */
export const withPieces = <E>(stream: Stream.Stream<Uint8Array, E>, eachPiece: EachPiece<E>): Pieces<E> =>
  Object.assign(stream, { [each]: eachPiece })

/** The cheaper way to read a stream; `undefined` if it has none. */
export const eachPieceOf = <E>(stream: Pieces<E>): EachPiece<E> | undefined => stream[each]

/** Calls `take` with one piece of a stream after the other, in the cheapest way available. */
export const runPieces = <E>(
  stream: Pieces<E>,
  take: (piece: Uint8Array) => Effect.Effect<void>
): Effect.Effect<void, E> => stream[each]?.(take) ?? Stream.runForEach(stream, take)
