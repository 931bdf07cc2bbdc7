import type { Effect, Scope, Stream } from "effect"
import type { ByteRange } from "../../core/model/Artifact.ts"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import type { GetRequest, ObjectMissing, PutRequest, StoredObject } from "../../core/ports/ObjectStore.ts"

/** A PUT to presign, to a key that was checked. */
export interface PresignPut extends PutRequest {
  readonly method: "PUT"
  readonly key: ObjectKey
}

/** A GET to presign, of a key that was checked. */
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
  /** `length` bytes from `offset` on, which are all in the object. It is asked for once, and run once at most. */
  readonly stream: (offset: number, length: number) => Effect.Effect<Stream.Stream<Uint8Array, Fault>, Fault>
}

/**
 * What an engine does to keep objects, and nothing else: `makeObjectStore` makes the port `ObjectStore` of it. Every key
 * has the form of one. What the engine refuses is a `Fault`, which is the engine's own type.
 */
export interface ObjectDriver<Fault> {
  /** One URL for each request, in order; there are 100 at most. */
  readonly presign: (requests: ReadonlyArray<PresignGet | PresignPut>) => Effect.Effect<ReadonlyArray<string>, Fault>
  /** Copies an object, in place of what is at `to`. It isn't interrupted. */
  readonly copy: (from: ObjectKey, to: ObjectKey) => Effect.Effect<void, ObjectMissing | Fault>
  /** The objects whose keys begin with `folder` and a slash, in any order, whether or not they are keys. */
  readonly list: (folder: ObjectKey) => Effect.Effect<ReadonlyArray<StoredObject>, Fault>
  /**
   * Opens an object until the scope closes. The stream is asked for the part of `range` that is in the object, or for all
   * of it; an engine that can't read a part later may open that part alone.
   */
  readonly open: (
    key: ObjectKey,
    range?: ByteRange
  ) => Effect.Effect<DriverObject<Fault>, ObjectMissing | Fault, Scope.Scope>
  /** Deletes objects. A key without an object is no fault. */
  readonly remove: (keys: ReadonlyArray<ObjectKey>) => Effect.Effect<void, Fault>
  /** As `ObjectStore.check`. */
  readonly check: Effect.Effect<void, Fault>
  /** As `ObjectStore.largestPut`. */
  readonly largestPut?: number
  /** Says in the log what a fault is. Nothing of it is told to clients. */
  readonly log: (fault: Fault) => Effect.Effect<void>
  /** Whether a fault means that there is no room for what was to be stored. No fault does, unless it is said. */
  readonly isFull?: (fault: Fault) => boolean
}
