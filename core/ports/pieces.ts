import { Effect, Stream } from "effect"

/**
 * Reads bytes to their end and gives `take` one piece after the other. A piece's memory is used again once `take` has ended, so
 * who keeps bytes copies them.
 */
export type EachPiece<E> = (take: (piece: Uint8Array) => Effect.Effect<void>) => Effect.Effect<void, E>

const each: unique symbol = Symbol("slipway/core/ports/pieces")

/** A stream of bytes that may know a cheaper way to be read. */
export interface Pieces<E> extends Stream.Stream<Uint8Array, E> {
  readonly [each]?: EachPiece<E>
}

/**
 * Adds to a stream a way to read it that takes no step of a stream for each piece and no new memory. The stream and `eachPiece`
 * give the same bytes; one of them is run, once. What is made of the stream, as by `Stream.map`, doesn't have it.
 */
export const withPieces = <E>(stream: Stream.Stream<Uint8Array, E>, eachPiece: EachPiece<E>): Pieces<E> =>
  Object.assign(stream, { [each]: eachPiece })

/** The cheaper way to read a stream; `undefined` if it has none. */
export const eachPieceOf = <E>(stream: Pieces<E>): EachPiece<E> | undefined => stream[each]

/** Gives `take` one piece of a stream after the other, in the cheapest way that there is. */
export const runPieces = <E>(
  stream: Pieces<E>,
  take: (piece: Uint8Array) => Effect.Effect<void>
): Effect.Effect<void, E> => stream[each]?.(take) ?? Stream.runForEach(stream, take)
