import { Context, Data } from "effect"
import type { DateTime, Effect, Scope, Stream } from "effect"
import type { ByteRange } from "../model/Artifact.ts"
import type { RangeNotSatisfiable, Unavailable } from "../model/Problem.ts"

/** There is no object of that key. */
export class ObjectMissing extends Data.TaggedError("ObjectMissing") {}

/** What a listing tells of an object. `contentType` is absent where a store doesn't list it. */
export interface StoredObject {
  readonly key: string
  readonly sizeBytes: number
  readonly contentType?: string
}

/**
 * An object opened for reading. `sizeBytes` is that of the whole object, `offset` and `length` what the stream holds.
 * The stream may be run once.
 */
export interface OpenObject {
  readonly sizeBytes: number
  readonly offset: number
  readonly length: number
  readonly contentType: string
  readonly contentEncoding?: string
  readonly stream: Stream.Stream<Uint8Array, Unavailable>
}

/** A GET to presign. */
export interface GetRequest {
  readonly key: string
  readonly expiresAt: DateTime.Utc
}

/** A PUT to presign. The URL's signature covers every field. */
export interface PutRequest {
  readonly key: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly expiresAt: DateTime.Utc
}

/**
 * Keeps bytes under keys. A key is 1 to 512 characters of `A-Z a-z 0-9 ! - _ . * ' ( )`, in segments divided by
 * single slashes; no segment is empty, `.` or `..`. What is no key is never there: it is `ObjectMissing` when read or
 * promoted from, and nothing when removed. To presign it or promote to it is a caller's bug, a defect.
 *
 * - `presignPuts` answers one URL a request, in order. Until `expiresAt`, a PUT of exactly `sizeBytes` bytes with that
 *   content type as its header stores the object, whole or not at all, replacing one that is there. Its
 *   `Content-Encoding`, which is not signed, is stored and given back. Another method, key, type or length, a tampered
 *   URL and one past its time are refused and leave nothing.
 *   A store may sign for no longer than it can: S3 for seven days, and for as long as temporary credentials live.
 * - `presignGet` answers a URL that reads the object until `expiresAt`, whole or by a `Range` of it, without credentials
 *   and from any origin. Another method or key, a tampered URL and one past its time are refused.
 * - `promote` copies an object to a key that no presigned URL can write, so that nothing can change it afterwards.
 *   `ObjectMissing` when the source isn't there. What is at `to` is replaced.
 * - `list` answers every object whose key begins with `prefix`, ordered by key by code unit. Objects that were stored
 *   or promoted before the call are in it. A prefix without a slash at its end is a caller's bug, a defect.
 * - `read` opens an object until the scope closes. Until then its stream may be run, and gives the bytes as they were
 *   when it was opened. Who reads only the facts leaves nothing open. `RangeNotSatisfiable` when not one byte of the
 *   range is in the object.
 * - `remove` deletes objects; a key that isn't there is no error.
 * - `check` asks, in one cheap call that stores nothing, whether the store can be reached and the place where it keeps
 *   objects is there: `Unavailable` when not. It says nothing of any object, and passes on a store without one.
 * - `largestPut` is the most bytes that one PUT can store, where the store has such a bound; more is refused at reserve.
 *
 * @see interface §2.5, §4.2
 */
export class ObjectStore extends Context.Service<
  ObjectStore,
  {
    readonly presignPuts: (requests: ReadonlyArray<PutRequest>) => Effect.Effect<ReadonlyArray<string>, Unavailable>
    readonly presignGet: (request: GetRequest) => Effect.Effect<string, Unavailable>
    readonly promote: (from: string, to: string) => Effect.Effect<void, ObjectMissing | Unavailable>
    readonly list: (prefix: string) => Effect.Effect<ReadonlyArray<StoredObject>, Unavailable>
    readonly read: (
      key: string,
      range?: ByteRange
    ) => Effect.Effect<OpenObject, ObjectMissing | RangeNotSatisfiable | Unavailable, Scope.Scope>
    readonly remove: (keys: ReadonlyArray<string>) => Effect.Effect<void, Unavailable>
    readonly check: Effect.Effect<void, Unavailable>
    readonly largestPut?: number
  }
>()("slipway/core/ports/ObjectStore") {}
