import cliProgress from "cli-progress"
import { Data, Effect, Schedule, Stream } from "effect"
import { createHash } from "node:crypto"
import type { Unavailable } from "../../../core/model/Problem.ts"
import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import { ObjectStore, type OpenObject } from "../../../core/ports/ObjectStore.ts"
import { ObjectWriter } from "../../node/deployment.ts"

/** An object differs from its recorded digest, at the source or after it was stored in the target. */
export class ObjectMismatch extends Data.TaggedError("ObjectMismatch")<{ readonly key: string; readonly why: string }> {
  override readonly message = `The object ${this.key} ${this.why}.`
}

/** Passes bytes on, and computes their SHA-256 by the end. */
export const hashing = () => {
  const hash = createHash("sha256")
  return {
    through: <E, R>(bytes: Stream.Stream<Uint8Array, E, R>) =>
      Stream.tap(bytes, (chunk) => Effect.sync(() => hash.update(chunk))),
    digest: () => hash.digest("hex")
  }
}

/** The digest of the object stored under a key, and its metadata. */
const digestOf = (store: ObjectStore["Service"], key: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const object = yield* store.read(key)
      const { digest, through } = hashing()
      yield* Stream.runDrain(through(object.stream))
      return { ...object, digest: digest() }
    })
  ).pipe(Effect.catchTag("RangeNotSatisfiable", Effect.die))

/** An object read from a store, to be written to another. */
interface Sent extends Pick<OpenObject, "sizeBytes" | "contentType" | "contentEncoding"> {
  readonly key: string
}

/** Stores an object and reads it back. Fails if the stored bytes have another digest than those that were sent. */
export const putVerified = Effect.fnUntraced(function* <E>(
  { contentEncoding, contentType, key, sizeBytes }: Sent,
  bytes: Stream.Stream<Uint8Array, E>
) {
  const { digest, through } = hashing()
  const writer = yield* ObjectWriter
  yield* writer.put(withoutUndefined({ key, contentType, sizeBytes, contentEncoding }), through(bytes))
  const sent = digest()
  const there = yield* Effect.catchTag(digestOf(yield* ObjectStore, key), "ObjectMissing", () =>
    Effect.fail(new ObjectMismatch({ key, why: "was stored, and isn't there" }))
  )
  if (there.digest !== sent) return yield* new ObjectMismatch({ key, why: "arrived other than it was sent" })
  return sent
})

const isThereAlready = (from: ObjectStore["Service"], key: string, sizeBytes: number) =>
  Effect.gen(function* () {
    const to = yield* ObjectStore
    const size = yield* Effect.scoped(Effect.map(to.read(key), (object) => object.sizeBytes))
    if (size !== sizeBytes) return false
    const [there, here] = yield* Effect.all([digestOf(to, key), digestOf(from, key)], { concurrency: 2 })
    return there.digest === here.digest && there.contentType === here.contentType
  }).pipe(
    Effect.catchTags({ ObjectMissing: () => Effect.succeed(false), RangeNotSatisfiable: () => Effect.succeed(false) })
  )

const isPassing = (error: { readonly _tag: string }): error is Unavailable => error._tag === "Unavailable"

/**
 * Copies an object from another store unless the target has it; returns whether it was copied. Retries while a store
 * can't be reached.
 */
export const copyObject = (from: ObjectStore["Service"], key: string, expectedBytes: number) =>
  Effect.gen(function* () {
    if (yield* isThereAlready(from, key, expectedBytes)) return false
    yield* Effect.scoped(
      Effect.gen(function* () {
        const object = yield* from.read(key)
        yield* putVerified({ ...object, key }, object.stream)
      })
    )
    return true
  }).pipe(
    Effect.catchTags({
      ObjectMissing: () => Effect.fail(new ObjectMismatch({ key, why: "is named by the metadata, and isn't there" })),
      RangeNotSatisfiable: Effect.die
    }),
    Effect.retry({ while: isPassing, schedule: Schedule.exponential("200 millis"), times: 6 })
  )

/** Shows the progress of a move: a bar of bytes if stderr is a terminal, else nothing. */
export const progressBar = (what: string, totalBytes: number) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const bar = new cliProgress.SingleBar(
          { format: `${what} [{bar}] {percentage}%  {value}/{total} bytes`, hideCursor: true, stream: process.stderr },
          cliProgress.Presets.legacy
        )
        bar.start(totalBytes, 0)
        return bar
      }),
      (bar) => Effect.sync(() => bar.stop())
    ),
    (bar) => (bytes: number) => Effect.sync(() => bar.increment(bytes))
  )
