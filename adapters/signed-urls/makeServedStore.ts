import { Array, Effect, Pull, Stream, type Cause } from "effect"
import { type IncomingObject, ObjectSink, type SignedUrls, WrongLength } from "./SignedUrls.ts"
import type { ObjectKey } from "../../core/model/HostedObject.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import type { StreamDigest } from "../../core/service/contentDigest.ts"
import { keyOf, makeObjectStore, notStored } from "../object-store/makeObjectStore.ts"
import type { ObjectDriver } from "../object-store/ObjectDriver.ts"

/**
 * Passes the bytes on. Fails with `WrongLength` at the first chunk that exceeds the size, or at the end if bytes are
 * missing. Chunks that arrive together are passed on together.
 */
export const exactLength =
  (sizeBytes: number) =>
  <E, R>(bytes: Stream.Stream<Uint8Array, E, R>): Stream.Stream<Uint8Array, E | WrongLength, R> =>
    Stream.suspend(() => {
      let seen = 0
      const fits = ({ byteLength }: Uint8Array) => (seen += byteLength) <= sizeBytes
      return Stream.transformPull(bytes, (pull) =>
        Effect.succeed(
          Effect.suspend(() => {
            // The chunks before the one that was too many have been passed on.
            if (seen > sizeBytes) return Effect.fail(new WrongLength())
            return Effect.matchCauseEffect(pull, {
              onSuccess: (chunks) => {
                const fitting = Array.takeWhile(chunks, fits)
                return Array.isReadonlyArrayNonEmpty(fitting) ? Effect.succeed(fitting) : Effect.fail(new WrongLength())
              },
              onFailure: (cause): Effect.Effect<never, E | WrongLength | Cause.Done> =>
                Pull.isDoneCause(cause) && seen < sizeBytes ? Effect.fail(new WrongLength()) : Effect.failCause(cause)
            })
          })
        )
      )
    })

/** What an engine without URLs of its own must do. It signs nothing and gets the bytes from the host. */
export interface ServedDriver<Fault> extends Omit<ObjectDriver<Fault>, "presign"> {
  /**
   * Stores the bytes under the key and replaces what is there, completely or not at all: when the stream fails or is
   * interrupted, nothing is stored. The stream holds `sizeBytes` bytes or fails, which it may do after the last of them: wait for
   * its end. `contentHash` is read after that end and kept with the object for `list`, also for its copies; `undefined` when it
   * isn't known.
   *
   * Fail with the `E` of the stream unchanged: a wrapped error becomes 503 instead of 403. The last atomic write must be
   * uninterruptible, because the host deletes the object of an interrupted PUT to a closed slot, and the write could otherwise
   * end after that.
   */
  readonly receive: <E>(
    object: IncomingObject & { readonly key: ObjectKey },
    bytes: Stream.Stream<Uint8Array, E>,
    contentHash: Effect.Effect<string | undefined>
  ) => Effect.Effect<void, E | Fault>
  /** The engine can't keep what is known only after the last byte: it ignores `contentHash`, and a finalize computes the digest. */
  readonly keepsNoDigest?: true
}

/** The reason why a PUT's bytes could not be read, as opposed to a reason why the engine could not store them. */
class NotReceived<E> {
  readonly reason: E
  constructor(reason: E) {
    this.reason = reason
  }
}

/** The object store of an engine whose presigned URLs the host serves, and the sink behind these URLs. */
export const makeServedStore = <Fault>(urls: SignedUrls["Service"], driver: ServedDriver<Fault>) => {
  const store = makeObjectStore<Fault>({
    ...driver,
    presign: (requests) =>
      Effect.sync(() => requests.map((request) => (request.method === "PUT" ? urls.put(request) : urls.get(request))))
  })
  const { keepsNoDigest } = driver
  const sink = ObjectSink.of({
    ...withoutUndefined({ keepsNoDigest }),
    receive: Effect.fnUntraced(function* <E>(
      object: IncomingObject,
      bytes: Stream.Stream<Uint8Array, E>,
      digest?: StreamDigest
    ) {
      const key = yield* keyOf(object.key)
      const passing = digest === undefined ? bytes : digest.passThrough(bytes)
      const whole = Stream.mapError(exactLength(object.sizeBytes)(passing), (reason) => new NotReceived(reason))
      yield* Effect.catch(
        driver.receive({ ...object, key }, whole, digest?.digest ?? Effect.undefined),
        (error): Effect.Effect<never, E | WrongLength | InsufficientStorage | Unavailable> =>
          error instanceof NotReceived ? Effect.fail(error.reason) : notStored(driver)(error)
      )
    })
  })
  return { store, sink }
}
