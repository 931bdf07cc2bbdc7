import { Context, Data, type DateTime, type Effect, type Scope, type Stream } from "effect"
import type { ByteRange } from "../model/Artifact.ts"
import type { InsufficientStorage, RangeNotSatisfiable, Unavailable } from "../model/Problem.ts"

/** No object has that key. */
export class ObjectMissing extends Data.TaggedError("ObjectMissing") {}

/**
 * An object in a listing. `contentType` is absent if the store doesn't list it. `contentEncoding` is set if the object has one
 * and `contentHash` is set.
 *
 * `contentHash` is the SHA-256 of the object's content in lower-case hex. If `isGzip` is true for its content type or content
 * encoding, this is the hash of the decompressed bytes. A store that computes the hash during the PUT lists it. It must match the
 * stored bytes, because a finalize trusts it and doesn't read them. If it is absent, the caller that needs it reads the object.
 */
export interface StoredObject {
  readonly key: string
  readonly sizeBytes: number
  readonly contentType?: string
  readonly contentEncoding?: string
  readonly contentHash?: string
}

/** An object of a scan, and the cursor from which a scan can continue. */
export interface ScannedObject extends StoredObject {
  readonly cursor: string
}

/** The metadata of an object, without its key. */
export type Examined = Omit<StoredObject, "key">

/**
 * An object opened for reading. `sizeBytes` is the size of the whole object, `offset` and `length` the range of the stream.
 * The stream may be run once. An engine may provide a cheaper way to read the bytes, see `withPieces`. `contentHash` is set if the
 * store reports it when it opens an object, as in a listing; the bytes aren't read for it.
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
 * A PUT to presign. The URL's signature covers the key, the content type, the size and the expiry. `signedAt` is the time of the
 * signature, for stores whose URLs include it; the default is now. The same request with the same `signedAt` gets the same URL,
 * as long as the store signs with the same credentials.
 */
export interface PutRequest {
  readonly key: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly expiresAt: DateTime.Utc
  readonly signedAt?: DateTime.Utc
}

/**
 * Stores bytes under keys, each an `ObjectKey`. No object has any other key: reading it or promoting from it fails with
 * `ObjectMissing`, removing it does nothing, and presigning it or promoting to it is a bug of the caller, a defect.
 *
 * `makeObjectStore` of `adapters/object-store` makes a store from the operations of its engine.
 *
 * @see docs/interface.md#2.5, #4.2
 */
export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    /**
     * One URL for each request, in order. Until `expiresAt`, a PUT of exactly `sizeBytes` bytes with `contentType` as its content
     * type header stores the object atomically, replaces an existing one, and is answered with 200. Its `Content-Encoding` is not signed; it is stored and
     * returned by reads. A request with another method, key, type or length, a tampered URL or an expired URL is refused and stores
     * nothing.
     *
     * The engine may limit the lifetime of a URL: S3 to seven days, and to the lifetime of temporary credentials.
     */
    readonly presignPuts: (requests: ReadonlyArray<PutRequest>) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    /**
     * A URL that reads the object or a `Range` of it until `expiresAt`, without credentials and from any origin.
     * Another method or key, a tampered URL and an expired URL are refused.
     */
    readonly presignGet: (request: GetRequest) => Effect.Effect<string, Unavailable>
    /**
     * Copies an object to a key that no presigned URL can write, so that nothing can change it afterwards. An object at `to` is
     * replaced. The copy has the content type and content encoding of the object. If a content type is given, it has that type and no
     * encoding. `ObjectMissing` if there is no object at `from`, `InsufficientStorage` if there is no space for the copy.
     * It is uninterruptible: after it returns, no copy is still being made.
     */
    readonly promote: (
      from: string,
      to: string,
      contentType?: string
    ) => Effect.Effect<void, ObjectMissing | InsufficientStorage | Unavailable>
    /**
     * Every object whose key begins with `prefix`, ordered by key (by code unit), including those stored or promoted just before
     * the call. A prefix without a trailing slash is a bug of the caller, a defect.
     */
    readonly list: (prefix: string) => Effect.Effect<ReadonlyArray<StoredObject>, Unavailable>
    /**
     * Streams every object whose key begins with `prefix`, in a stable order that the store chooses. With `after`, the `cursor` of
     * an object, the scan continues after that object, even if it was removed. An object that exists during the whole scan is listed
     * once. An object that is stored or removed during the scan may be listed or not. A prefix without a trailing slash is a bug of
     * the caller, a defect.
     */
    readonly scan: (prefix: string, after?: string) => Stream.Stream<ScannedObject, Unavailable>
    /**
     * Opens an object until the scope closes. Until then its stream may be run, and returns the bytes as they were when the object
     * was opened. A caller that reads only the metadata leaves nothing open. `RangeNotSatisfiable` if no byte of the range is in
     * the object.
     */
    readonly read: (
      key: string,
      range?: ByteRange
    ) => Effect.Effect<OpenObject, ObjectMissing | RangeNotSatisfiable | Unavailable, Scope.Scope>
    /**
     * The metadata of an object with its digest, without reading the object on the event loop: the store computed the digest itself,
     * or reads the object in another thread. `undefined` if this is not possible for any reason; then the caller reads the object. A
     * store whose listings include digests doesn't need it.
     */
    readonly examine?: (key: string) => Effect.Effect<Examined | undefined>
    /** Deletes objects. A key without an object is not an error. */
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    /**
     * Checks with one cheap read-only call that the store can be reached and its bucket or folder exists; `Unavailable` if not.
     * It does not check any object.
     */
    readonly check: Effect.Effect<void, Unavailable>
    /** The most bytes that one PUT can store, if limited. A reserve refuses a larger declaration. */
    readonly largestPut?: number
  }
>()("slipway/core/ports/ObjectStore") {}
