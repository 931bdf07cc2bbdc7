import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex } from "@noble/hashes/utils.js"
import { Channel, Context, Data, Effect, Stream, type DateTime } from "effect"
import type { Unavailable } from "../model/Problem.ts"
import type { WorkflowRun } from "../model/Repository.ts"

/** An incremental digest: call `update` with chunks, then read the lower-case hex once. */
export interface Sha256Hasher {
  readonly update: (bytes: Uint8Array) => void
  readonly digest: () => string
}

/**
 * Makes SHA-256 hashers for content. The default is written in JavaScript and runs anywhere. A host provides a faster one if its
 * platform has it.
 */
export const Sha256 = Context.Reference<() => Sha256Hasher>("slipway/core/ports/Sha256", {
  defaultValue: () => () => {
    const hash = sha256.create()
    return { update: (bytes) => void hash.update(bytes), digest: () => bytesToHex(hash.digest()) }
  }
})

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

/**
 * Reads all bytes and calls `take` with one chunk after the other. The memory of a chunk is reused after `take` has ended, so a
 * caller that keeps bytes must copy them.
 */
export type EachChunk<E> = (take: (chunk: Uint8Array) => Effect.Effect<void>) => Effect.Effect<void, E>

const each: unique symbol = Symbol("slipway/core/ports/chunks")
const file: unique symbol = Symbol("slipway/core/ports/file")

/** A stream of bytes that may have a cheaper way to read it. */
export interface Chunks<E> extends Stream.Stream<Uint8Array, E> {
  readonly [each]?: EachChunk<E>
  readonly [file]?: string
}

/**
 * Adds a cheaper way to read a stream: without a stream step or an allocation for each chunk. The stream and `eachChunk` return the
 * same bytes; only one of them may be run, once. A stream that is derived from it, as by `Stream.map`, doesn't have it.
 */
export const withChunks = <E>(stream: Stream.Stream<Uint8Array, E>, eachChunk: EachChunk<E>): Chunks<E> =>
  Object.assign(stream, { [each]: eachChunk })

/** The cheaper way to read a stream; `undefined` if it has none. */
export const eachChunkOf = <E>(stream: Chunks<E>): EachChunk<E> | undefined => stream[each]

/**
 * Adds the file with nothing but the bytes of the whole object that a stream reads, or reads a part of. A proxy may send the file instead.
 * `path` is relative to the folder of the store.
 */
export const withFile = <E>(stream: Chunks<E>, path: string): Chunks<E> => Object.assign(stream, { [file]: path })

/** The path of the file with the bytes of the whole object; `undefined` if there is none. */
export const fileOfStream = <E>(stream: Chunks<E>): string | undefined => stream[file]

/** Calls `take` with one chunk of a stream after the other, in the cheapest way available. */
export const runChunks = <E>(
  stream: Chunks<E>,
  take: (chunk: Uint8Array) => Effect.Effect<void>
): Effect.Effect<void, E> => stream[each]?.(take) ?? Stream.runForEach(stream, take)

/** A token that is not valid; `reason` is a sentence for the log. */
export class TokenRefused extends Data.TaggedError("TokenRefused")<{ readonly reason: string }> {}

/** What a verified token proves. */
export interface ProvenIdentity extends WorkflowRun {
  readonly issuer: string
  /** No other token of the issuer has it. Absent for a CI that gives all steps of a job the same token, which they all may exchange. */
  readonly id?: string | undefined
  /** When the token expires, including the tolerance for clock skew. */
  readonly endsAt: DateTime.Utc
  /** `OWNER/NAME`. Absent for a CI whose tokens don't have it: `ids` alone prove whose run it is. */
  readonly repository?: string | undefined
}

/** Reads and verifies the identity tokens (JWTs of OpenID Connect) that CI systems give to their runs. */
export interface TokenVerifier {
  /** The issuer that a token claims, unverified. `TokenRefused` if it is not a token. */
  readonly issuerOf: (token: string) => Effect.Effect<string, TokenRefused>
  /**
   * Verifies a token with the keys that its issuer publishes. `TokenRefused` if the issuer didn't sign it, or if it is for another
   * audience, expired or not valid yet. `Unavailable` if the issuer can't be reached. Concurrent calls share one request to the
   * issuer. After a failed request, the next call doesn't retry immediately.
   */
  readonly verify: (
    token: string,
    expected: { readonly issuer: string; readonly audience: string }
  ) => Effect.Effect<ProvenIdentity, TokenRefused | Unavailable>
}

/** How a host verifies identity tokens; without it none is exchanged. */
export const IdentityTokens = Context.Reference<TokenVerifier | undefined>("slipway/core/ports/IdentityTokens", {
  defaultValue: () => undefined
})

/** An engine of a deployment. */
export type EngineName = "database" | "object store"

/**
 * Is called with each call that found an engine away, and with the log line of it. By default each line is logged. A host replaces it, so
 * that thousands of calls don't log the same line.
 */
export const EngineOutages = Context.Reference<(engine: EngineName, line: Effect.Effect<void>) => Effect.Effect<void>>(
  "slipway/core/ports/EngineOutages",
  { defaultValue: () => (_, line) => line }
)

/** Reports a call that found an engine away. */
export const reportAway = (engine: EngineName, line: Effect.Effect<void>): Effect.Effect<void> =>
  Effect.flatMap(EngineOutages, (report) => report(engine, line))

/**
 * Closes the host whose engines are being opened, with the reason that later calls of it fail with. An engine that locks what it opens
 * calls it when another host in the same process opens that: after a hot reload, no code is left that could close the first host.
 * Without a function, such as in `slipway serve`, nothing is handed over.
 */
export const CloseOnReopen = Context.Reference<((reason: string) => Promise<void>) | undefined>(
  "slipway/core/ports/CloseOnReopen",
  { defaultValue: () => undefined }
)
