import { Array, Effect, Stream } from "effect"
import { InsufficientStorage, RangeNotSatisfiable, Unavailable } from "../../core/model/Problem.ts"
import type { ObjectDriver } from "./ObjectDriver.ts"
import type { ByteRange } from "../../core/model/Artifact.ts"
import { isObjectKey, type ObjectKey } from "../../core/model/HostedObject.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ObjectMissing, ObjectStore, type OpenObject } from "../../core/ports/ObjectStore.ts"
import { eachChunkOf, fileOfStream, withChunks, withFile } from "../../core/ports/HostServices.ts"

type Logging<Fault> = Pick<ObjectDriver<Fault>, "isFull" | "log">

/** Logs a fault of a call that stores nothing. The caller gets `Unavailable`. */
const unavailable =
  <Fault>({ log }: Logging<Fault>) =>
  (fault: Fault): Effect.Effect<never, Unavailable> =>
    Effect.andThen(log(fault), Effect.fail(Unavailable.default))

/** Logs a fault of a call that stores something, which may have failed because there is no room. */
export const notStored =
  <Fault>(driver: Logging<Fault>) =>
  (fault: Fault): Effect.Effect<never, InsufficientStorage | Unavailable> =>
    driver.isFull?.(fault) === true
      ? Effect.andThen(driver.log(fault), Effect.fail(InsufficientStorage.ofObjects))
      : unavailable(driver)(fault)

/** The bytes that a range selects from an object of `sizeBytes` bytes. */
export const resolveRange = (
  range: ByteRange | undefined,
  sizeBytes: number
): Effect.Effect<{ readonly offset: number; readonly length: number }, RangeNotSatisfiable> => {
  if (range === undefined) return Effect.succeed({ offset: 0, length: sizeBytes })
  const offset = "suffix" in range ? Math.max(0, sizeBytes - range.suffix) : range.offset
  const wanted = "suffix" in range ? range.suffix : (range.length ?? sizeBytes)
  const length = Math.min(wanted, sizeBytes - offset)
  return length > 0
    ? Effect.succeed({ offset, length })
    : Effect.fail(new RangeNotSatisfiable({ detail: `The object has ${sizeBytes} bytes.`, sizeBytes }))
}

/** How many URLs are signed in one turn of the event loop, so that other requests are served in between. */
const signBatchSize = 100

/** Turns a key that the caller must have checked into an `ObjectKey`; an invalid one is a defect. */
export const keyOf = (key: string): Effect.Effect<ObjectKey> =>
  isObjectKey(key)
    ? Effect.succeed(key)
    : Effect.die(new RangeError(`no object can have the key ${JSON.stringify(key)}`))

/** The prefix without the slash at its end; another text is a defect. */
const folderOf = (prefix: string): Effect.Effect<string> =>
  prefix.endsWith("/")
    ? Effect.succeed(prefix.slice(0, -1))
    : Effect.die(new RangeError(`a prefix ends in a slash, not so ${JSON.stringify(prefix)}`))

/** The key of an object that may exist. No object has an invalid key. */
const existing = (key: string): Effect.Effect<ObjectKey, ObjectMissing> =>
  isObjectKey(key) ? Effect.succeed(key) : Effect.fail(new ObjectMissing())

/**
 * Makes the port `ObjectStore` from an engine's driver and does here what every engine needs: keys are checked, ranges
 * are resolved, faults are logged and answered as problems, listings are ordered, and many URLs are signed in turns. A
 * promotion that has begun isn't interrupted, because its copy could otherwise appear after its removal.
 */
export const makeObjectStore = <Fault>(driver: ObjectDriver<Fault>): ObjectStore["Service"] => {
  const isFault = (error: ObjectMissing | Fault): error is Fault => !(error instanceof ObjectMissing)
  const orUnavailable = <A, R>(call: Effect.Effect<A, Fault, R>) => Effect.catch(call, unavailable(driver))

  const presign = Effect.fnUntraced(function* (requests: Parameters<typeof driver.presign>[0]) {
    const urls: Array<string> = []
    for (const some of Array.chunksOf(requests, signBatchSize)) {
      if (urls.length > 0) yield* Effect.yieldNow
      urls.push(...(yield* orUnavailable(driver.presign(some))))
    }
    return urls
  })

  const { examine, largestPut } = driver
  return ObjectStore.of({
    ...withoutUndefined({ largestPut }),
    ...(examine && {
      examine: (key) => Effect.orElseSucceed(Effect.flatMap(existing(key), examine), () => undefined)
    }),
    presignPuts: (requests) =>
      Effect.forEach(requests, (request) =>
        Effect.map(keyOf(request.key), (key) => ({ ...request, method: "PUT" as const, key }))
      ).pipe(Effect.flatMap(presign)),
    presignGet: Effect.fnUntraced(function* (request) {
      const [url] = yield* presign([{ ...request, method: "GET", key: yield* keyOf(request.key) }])
      return url ?? (yield* Effect.die("a store answered no URL"))
    }),
    promote: Effect.fnUntraced(function* (from, to, contentType) {
      const target = yield* keyOf(to)
      yield* Effect.catchIf(driver.copy(yield* existing(from), target, contentType), isFault, notStored(driver))
    }, Effect.uninterruptible),
    list: Effect.fnUntraced(function* (prefix) {
      const folder = yield* folderOf(prefix)
      const listed = isObjectKey(folder) ? yield* orUnavailable(driver.list(folder)) : []
      return listed.filter(({ key }) => isObjectKey(key)).toSorted((a, b) => (a.key < b.key ? -1 : 1))
    }),
    scan: (prefix, after) =>
      Stream.unwrap(
        Effect.map(folderOf(prefix), (folder) => (isObjectKey(folder) ? driver.scan(folder, after) : Stream.empty))
      ).pipe(
        Stream.filter(({ key }) => isObjectKey(key)),
        Stream.catch((fault) => Stream.fromEffect(unavailable(driver)(fault)))
      ),
    read: Effect.fnUntraced(function* (key: string, range?: ByteRange) {
      const opened = yield* Effect.catchIf(driver.open(yield* existing(key), range), isFault, unavailable(driver))
      // Not the other properties that the object of a driver may have.
      const { contentEncoding, contentHash, contentType, sizeBytes } = opened
      const part = yield* resolveRange(range, sizeBytes)
      const bytes = yield* orUnavailable(opened.stream(part.offset, part.length))
      const caught = Stream.catch(bytes, (fault) => Stream.fromEffect(unavailable(driver)(fault)))
      const [eachChunk, file] = [eachChunkOf(bytes), fileOfStream(bytes)]
      const stream = file === undefined ? caught : withFile(caught, file)
      const object: OpenObject = {
        sizeBytes,
        contentType,
        ...withoutUndefined({ contentEncoding, contentHash }),
        ...part,
        stream: eachChunk ? withChunks(stream, (take) => orUnavailable(eachChunk(take))) : stream
      }
      return object
    }),
    remove: (keys) => orUnavailable(driver.remove(keys.filter(isObjectKey))),
    check: orUnavailable(driver.check)
  })
}
