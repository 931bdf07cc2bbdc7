import type { Effect, Scope, Stream } from "effect"
import type { ByteRange } from "../../core/model/Artifact.ts"
import type { ObjectKey } from "../../core/model/HostedObject.ts"
import type {
  Examined,
  GetRequest,
  ObjectMissing,
  PutRequest,
  ScannedObject,
  StoredObject
} from "../../core/ports/ObjectStore.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { isGzip } from "../../core/rules/verification.ts"

/** A PUT to presign. Its key is valid. */
export interface PresignPut extends PutRequest {
  readonly method: "PUT"
  readonly key: ObjectKey
}

/** A GET to presign. Its key is valid. */
export interface PresignGet extends GetRequest {
  readonly method: "GET"
  readonly key: ObjectKey
}

/** An object that an engine opened. */
export interface DriverObject<Fault> {
  /** The size of the whole object. */
  readonly sizeBytes: number
  readonly contentType: string
  readonly contentEncoding?: string
  /** As a listing tells it; absent where it isn't known without reading the object. */
  readonly contentHash?: string
  /**
   * `length` bytes from `offset` on, which all lie within the object. It is called once, and the stream is run at most
   * once.
   */
  readonly stream: (offset: number, length: number) => Effect.Effect<Stream.Stream<Uint8Array, Fault>, Fault>
}

/**
 * What an engine must do to keep objects. `makeObjectStore` makes the port `ObjectStore` of it. Every key that it
 * receives is valid. A `Fault` is the engine's own type of error.
 */
export interface ObjectDriver<Fault> {
  /**
   * One URL for each request, in order; there are at most 100.
   *
   * Use it only if a URL alone suffices and its signature covers the key, the exact content type, the exact length and the expiry.
   * Clients send only `Content-Type`, and a PUT must answer 200. Otherwise (a SAS of Azure, an engine without a server) implement
   * `ServedDriver.receive`.
   */
  readonly presign: (requests: ReadonlyArray<PresignGet | PresignPut>) => Effect.Effect<ReadonlyArray<string>, Fault>
  /**
   * Copies an object and replaces the one at `to`. If `from` is replaced or removed meanwhile, the copy has all bytes of one
   * version, or there is none. It isn't interrupted. The type and the encoding of the copy are those of
   * `ObjectStore.promote`. `copiedMetadata` computes them, and the digest: a copy with another type has no `contentHash` if either
   * object is gzip, because the digest of gzip is that of the decompressed bytes.
   */
  readonly copy: (from: ObjectKey, to: ObjectKey, contentType?: string) => Effect.Effect<void, ObjectMissing | Fault>
  /**
   * The objects whose names begin with `folder` and a slash, in any order; names that are no keys may be among them.
   */
  readonly list: (folder: ObjectKey) => Effect.Effect<ReadonlyArray<StoredObject>, Fault>
  /** The same objects as a stream, in an order that doesn't change; after the object with the cursor `after`. See `ObjectStore.scan`. */
  readonly scan: (folder: ObjectKey, after: string | undefined) => Stream.Stream<ScannedObject, Fault>
  /**
   * Opens an object until the scope closes. If it is replaced or removed meanwhile, the stream still has the bytes that were opened. The stream is asked for the part of `range` that lies in the object, or for
   * the whole object, so an engine that can't read a part later may open only that part.
   */
  readonly open: (
    key: ObjectKey,
    range?: ByteRange
  ) => Effect.Effect<DriverObject<Fault>, ObjectMissing | Fault, Scope.Scope>
  /** As `ObjectStore.examine`. A fault isn't logged, because the object is read then. */
  readonly examine?: (key: ObjectKey) => Effect.Effect<Examined | undefined, Fault>
  /** Deletes objects. A missing object is no fault. */
  readonly remove: (keys: ReadonlyArray<ObjectKey>) => Effect.Effect<void, Fault>
  /** As `ObjectStore.check`. */
  readonly check: Effect.Effect<void, Fault>
  /** As `ObjectStore.largestPut`. */
  readonly largestPut?: number
  /** Logs a fault. Clients learn nothing of it. */
  readonly log: (fault: Fault) => Effect.Effect<void>
  /** Whether a fault means that there is no room for the object; by default no fault does. */
  readonly isFull?: (fault: Fault) => boolean
}

/** The metadata of an object. */
interface Facts {
  readonly contentType: string
  readonly contentEncoding?: string
  readonly contentHash?: string
}

/**
 * The metadata of a copy, without other properties that `facts` may have. A copy with another content type has that type and no content encoding. It has the digest only if that
 * is still the digest of its content.
 */
export const copiedMetadata = (facts: Facts, contentType: string | undefined): Facts => {
  const { contentEncoding, contentHash } = facts
  if (contentType === undefined)
    return { contentType: facts.contentType, ...withoutUndefined({ contentEncoding, contentHash }) }
  const isPlain = !isGzip(facts.contentType, contentEncoding) && !isGzip(contentType, undefined)
  return isPlain && contentHash !== undefined ? { contentType, contentHash } : { contentType }
}
