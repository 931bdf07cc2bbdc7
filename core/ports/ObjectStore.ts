import { Context, Data, type DateTime, type Effect, type Scope, type Stream } from "effect"
import type { ByteRange } from "../model/Artifact.ts"
import type { InsufficientStorage, RangeNotSatisfiable, Unavailable } from "../model/Problem.ts"

/** There is no object of that key. */
export class ObjectMissing extends Data.TaggedError("ObjectMissing") {}

/**
 * What a listing tells of an object. `contentType` is absent where a store doesn't list it. `contentEncoding` is there where
 * `contentHash` is, if the object has one.
 *
 * `contentHash` is the SHA-256 of the object's content in lower-case hex: of its bytes, or, if `isGzip` says so of its content
 * type or content encoding, of the decompressed bytes. A store that computes it during the PUT lists it. It must be that of the
 * bytes stored under the key, because a finalize trusts it and doesn't read them. If it is absent, whoever needs it reads the
 * object.
 */
export interface StoredObject {
  readonly key: string
  readonly sizeBytes: number
  readonly contentType?: string
  readonly contentEncoding?: string
  readonly contentHash?: string
}

/** An object of a scan, and the place behind which a scan can go on. */
export interface ScannedObject extends StoredObject {
  readonly cursor: string
}

/** What is known of an object whose key is known. */
export type Examined = Omit<StoredObject, "key">

/**
 * An object opened for reading. `sizeBytes` is that of the whole object, `offset` and `length` what the stream holds.
 * The stream may be run once. An engine may give with it a cheaper way to read the bytes, see `withPieces`. `contentHash` is that
 * of a listing, where the store tells it when it opens an object; the bytes aren't read for it.
 */
export interface OpenObject {
  readonly sizeBytes: number
  readonly offset: number
  readonly length: number
  readonly contentType: string
  readonly contentEncoding?: string
  readonly contentHash?: string
  readonly stream: Stream.Stream<Uint8Array, Unavailable>
}

/** A GET to presign. */
export interface GetRequest {
  readonly key: string
  readonly expiresAt: DateTime.Utc
}

/**
 * A PUT to presign. The URL's signature covers the key, the content type, the size and the end. `signedAt` is the time of the signature,
 * for stores whose URLs have it: now, where absent. The same request with the same `signedAt` gets the same URL, for as long as the
 * store signs with the same credentials.
 */
export interface PutRequest {
  readonly key: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly expiresAt: DateTime.Utc
  readonly signedAt?: DateTime.Utc
}

/**
 * Keeps bytes under keys, each an `ObjectKey`. Other text is never a key of an object: reading it or promoting from it is
 * `ObjectMissing`, removing it does nothing, and presigning it or promoting to it is a caller's bug, a defect.
 *
 * A store is made by `makeObjectStore` of `adapters/object-store` from what its engine can do.
 *
 * @see docs/interface.md#2.5, #4.2
 */
export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    /**
     * One URL for each request, in order. Until `expiresAt`, a PUT of exactly `sizeBytes` bytes with `contentType` as its content
     * type header stores the object, whole or not at all, and replaces one that is there. Its `Content-Encoding`, which is not
     * signed, is stored and given back. A PUT by another method, to another key, of another type or length, with a tampered URL
     * or past its time is refused and stores nothing.
     *
     * A store signs for no longer than it can: S3 for seven days, and for as long as temporary credentials live.
     */
    readonly presignPuts: (requests: ReadonlyArray<PutRequest>) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * A URL that reads the object until `expiresAt`, whole or by a `Range` of it, without credentials and from any origin.
     * Another method or key, a tampered URL and one past its time are refused.
     */
    readonly presignGet: (request: GetRequest) => Effect.Effect<string, Unavailable>
    /**
     * Copies an object to a key that no presigned URL can write, so that nothing can change it afterwards. What is at `to` is
     * replaced. The copy has the type and the content encoding of the object; if a content type is given, that type and no encoding.
     * `ObjectMissing` when there is nothing at `from`, `InsufficientStorage` when there is no room for the copy.
     * It isn't interrupted: when it returns, the copy is there or will never be.
     */
    readonly promote: (
      from: string,
      to: string,
      contentType?: string
    ) => Effect.Effect<void, ObjectMissing | InsufficientStorage | Unavailable>
    /**
     * Every object whose key begins with `prefix`, ordered by key (by code unit), also what was stored or promoted just before
     * the call. A prefix without a slash at its end is a caller's bug, a defect.
     */
    readonly list: (prefix: string) => Effect.Effect<ReadonlyArray<StoredObject>, Unavailable>
    /**
     * Every object whose key begins with `prefix`, however many there are, as they are asked for: in an order of the store's own,
     * which stays the same, and only those behind the `place` of another one, where it is given, whether that one is still there or
     * not. What is there all the time is given once; what is stored or removed meanwhile may be given or not. A prefix without a slash at its end is
     * a caller's bug, a defect.
     */
    readonly scan: (prefix: string, after?: string) => Stream.Stream<ScannedObject, Unavailable>
    /**
     * Opens an object until the scope closes. Until then its stream may be run, and gives the bytes as they were when it was
     * opened. A caller that reads only the facts leaves nothing open. `RangeNotSatisfiable` when no byte of the range is in
     * the object.
     */
    readonly read: (
      key: string,
      range?: ByteRange
    ) => Effect.Effect<OpenObject, ObjectMissing | RangeNotSatisfiable | Unavailable, Scope.Scope>
    /**
     * What the store can tell of an object and its digest without the object being read here: because it computed the digest
     * itself, or reads the object beside the event loop. `undefined` where it can't tell, for whatever reason; then whoever needs the
     * digest reads the object. A store whose listings tell digests doesn't need it.
     */
    readonly examine?: (key: string) => Effect.Effect<Examined | undefined>
    /** Deletes objects. A key without an object is no error. */
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /**
     * Checks, by one cheap call that stores nothing, that the store can be reached and its bucket or folder exists;
     * `Unavailable` if not. It says nothing about any object.
     */
    readonly check: Effect.Effect<void, Unavailable>
    /** The most bytes that one PUT can store, where there is such a bound; a larger declaration is refused at reserve. */
    readonly largestPut?: number
  }
>()("slipway/core/ports/ObjectStore") {}
