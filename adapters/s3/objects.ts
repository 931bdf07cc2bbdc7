import {
  CopyObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  type ListObjectsV2CommandInput,
  PutObjectCommand
} from "@aws-sdk/client-s3"
import { Array, DateTime, Deferred, Effect, Fiber, Option, Result, Schedule, Stream } from "effect"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import { PassThrough, Readable } from "node:stream"
import type { ByteRange } from "../../core/model/Artifact.ts"
import type { ObjectKey } from "../../core/model/HostedObject.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { Examined, ScannedObject, StoredObject } from "../../core/ports/ObjectStore.ts"
import { isGzip } from "../../core/rules/verification.ts"
import type { DriverObject, ObjectDriver } from "../object-store/ObjectDriver.ts"
import { makeObjectStore } from "../object-store/makeObjectStore.ts"
import type { IncomingObject, SignedUrls } from "../signed-urls/SignedUrls.ts"
import { makeServedStore } from "../signed-urls/makeServedStore.ts"
import {
  attempt,
  attemptToOpen,
  type BucketLocation,
  encodePath,
  faultOf,
  isFull,
  logFault,
  longTimeouts,
  noResponse,
  orMissing,
  shortTimeouts,
  StoreFault
} from "./attempt.ts"
import type { DigestThread } from "./digestThread.ts"
import { makeSigning, signable } from "./presigning.ts"

/** A checksum of S3's in hex. That of an object in parts, which is a checksum of checksums, has a number behind it and is none. */
const hexOf = (checksum: string | undefined): string | undefined => {
  const bytes = Base64.decode(checksum ?? "")
  return Result.isSuccess(bytes) && bytes.success.byteLength === 32 ? Hex.encode(bytes.success) : undefined
}

/** What the store itself says of an object and its SHA-256; `undefined` where it keeps none, and for gzip. */
const examineByChecksum = (
  { bucket, client, prefix }: BucketLocation,
  key: ObjectKey
): Effect.Effect<Examined | undefined, StoreFault> =>
  attempt("HeadObject", shortTimeouts, (options) =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + key, ChecksumMode: "ENABLED" }), options)
  ).pipe(
    Effect.map(({ ChecksumSHA256, ChecksumType, ContentEncoding, ContentLength, ContentType }) => {
      const contentHash = ChecksumType === "COMPOSITE" ? undefined : hexOf(ChecksumSHA256)
      if (contentHash === undefined || ContentLength === undefined) return undefined
      if (isGzip(ContentType, ContentEncoding)) return undefined
      const facts = withoutUndefined({ contentType: ContentType, contentEncoding: ContentEncoding })
      return { ...facts, sizeBytes: ContentLength, contentHash }
    })
  )

const pageOf = (
  { bucket, client, prefix }: BucketLocation,
  below: string,
  page: Pick<ListObjectsV2CommandInput, "ContinuationToken" | "MaxKeys" | "StartAfter">
) =>
  attempt("ListObjectsV2", shortTimeouts, (options) =>
    client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + below, ...page }), options)
  )

/** The first object of the location, if there is one: the cheapest request that needs no additional permission. */
const listOne = (location: BucketLocation): Effect.Effect<void, StoreFault> =>
  Effect.asVoid(pageOf(location, "", { MaxKeys: 1 }))

/** The objects whose keys begin with `below`, with one request per thousand. */
const listBelow = Effect.fnUntraced(function* (
  location: BucketLocation,
  below: string
): Effect.fn.Return<ReadonlyArray<StoredObject>, StoreFault> {
  const objects: Array<StoredObject> = []
  let token: string | undefined
  do {
    const { Contents = [], NextContinuationToken } = yield* pageOf(
      location,
      below,
      withoutUndefined({ ContinuationToken: token })
    )
    for (const { Key = "", Size: sizeBytes = 0 } of Contents) {
      objects.push({ key: Key.slice(location.prefix.length), sizeBytes })
    }
    token = NextContinuationToken
  } while (token !== undefined)
  return objects
})

/** The same, a thousand at a time as they are asked for, behind a key. */
const scanBelow = (
  location: BucketLocation,
  below: string,
  after: string | undefined
): Stream.Stream<ScannedObject, StoreFault> =>
  Stream.paginate(after, (last) =>
    pageOf(
      location,
      below,
      withoutUndefined({ StartAfter: last === undefined ? undefined : location.prefix + last })
    ).pipe(
      Effect.map(({ Contents = [], IsTruncated }) => {
        const objects = Contents.map(({ Key = "", Size: sizeBytes = 0 }) => {
          const key = Key.slice(location.prefix.length)
          return { key, sizeBytes, cursor: key }
        })
        const next = IsTruncated === true ? objects.at(-1)?.cursor : undefined
        return [objects, Option.fromUndefinedOr(next)] as const
      })
    )
  )

/** How long a reader may wait for the next bytes of a store. */
const silence = "30 seconds"

/** The content type of an object whose type the store doesn't tell. */
const unknownType = "application/octet-stream"

/** A range in S3's form. An empty range can't be asked for; then only the object's size is needed. */
const rangeHeader = (range: ByteRange | undefined): { readonly Range?: string } => {
  if (range === undefined) return {}
  if ("suffix" in range) return range.suffix > 0 ? { Range: `bytes=-${range.suffix}` } : {}
  const { length, offset } = range
  if (length === undefined) return { Range: `bytes=${offset}-` }
  return length > 0 ? { Range: `bytes=${offset}-${offset + length - 1}` } : {}
}

const open = ({ bucket, client, prefix }: BucketLocation, key: string, range: ByteRange | undefined) =>
  Effect.acquireRelease(
    Effect.tap(
      attemptToOpen("GetObject", (options) =>
        client.send(new GetObjectCommand({ Bucket: bucket, Key: prefix + key, ...rangeHeader(range) }), options)
      ),
      // A body that fails while nobody reads it must not end the process; a later reader gets the failure.
      ({ Body }) => Effect.sync(() => Body instanceof Readable && Body.on("error", () => {}))
    ),
    ({ Body }) => Effect.sync(() => Body instanceof Readable && Body.destroy())
  )

const sizeOf = ({ bucket, client, prefix }: BucketLocation, key: string): Effect.Effect<number, StoreFault> =>
  attempt("HeadObject", shortTimeouts, (options) =>
    client.send(new HeadObjectCommand({ Bucket: bucket, Key: prefix + key }), options)
  ).pipe(Effect.map(({ ContentLength = 0 }) => ContentLength))

/** The pieces of a body, those together that have come, because each step of a stream costs more than reading a piece. */
async function* piecesOf(body: Readable): AsyncGenerator<ReadonlyArray<Uint8Array>> {
  for await (const piece of body) {
    const pieces: Array<Uint8Array> = [piece]
    for (let next = body.read(); next !== null; next = body.read()) pieces.push(next)
    yield pieces
  }
}

/** The pieces of a body. It fails when a reader waits too long for the next piece; the reader itself may be slow. */
const streamOf = (body: Readable): Stream.Stream<Uint8Array, StoreFault> =>
  Stream.fromAsyncIterable(piecesOf(body), (cause) => faultOf("GetObject", cause)).pipe(
    Stream.timeoutOrElse({ duration: silence, orElse: () => Stream.fail(noResponse("GetObject", silence)) }),
    Stream.flattenIterable
  )

const otherBytes = new StoreFault({
  call: "GetObject",
  name: "other bytes than were asked for",
  status: 200,
  detail: ""
})

/** The size of an object that doesn't contain any byte of the requested range. */
const withoutRange = (location: BucketLocation, key: ObjectKey, fault: StoreFault) =>
  Effect.map(sizeOf(location, key), (sizeBytes): DriverObject<StoreFault> => ({
    sizeBytes,
    contentType: unknownType,
    stream: () => Effect.fail(fault)
  }))

/**
 * Opens an object until the scope closes with one GET, whose answer is the object at that time, even when it is read
 * later.
 */
const openObject = Effect.fnUntraced(function* (
  location: BucketLocation,
  key: ObjectKey,
  range: ByteRange | undefined
) {
  const answer = yield* Effect.result(open(location, key, range).pipe(orMissing(location, key)))
  if (Result.isFailure(answer)) {
    const fault = answer.failure
    return fault._tag === "StoreFault" && fault.status === 416
      ? yield* withoutRange(location, key, fault)
      : yield* fault
  }
  const { Body: body, ContentEncoding, ContentLength, ContentRange, ContentType } = answer.success
  const sizeBytes = Number(ContentRange?.split("/").at(-1) ?? ContentLength)
  if (!(body instanceof Readable) || !Number.isSafeInteger(sizeBytes)) return yield* otherBytes
  const object: DriverObject<StoreFault> = {
    sizeBytes,
    contentType: ContentType ?? unknownType,
    ...withoutUndefined({ contentEncoding: ContentEncoding }),
    stream: (_, length) => (length === ContentLength ? Effect.succeed(streamOf(body)) : Effect.fail(otherBytes))
  }
  return object
})

// How long a store may take to accept the next bytes.

/** How many bytes wait in memory for the store. */
const highWaterMark = 512 * 1024

/** Passes a chunk on, and waits while the store accepts no more. */
const write = (body: PassThrough, chunk: Uint8Array): Effect.Effect<void, StoreFault> =>
  Effect.callback<void>((resume) => {
    if (body.write(chunk)) return resume(Effect.void)
    const drained = () => resume(Effect.void)
    body.once("drain", drained)
    return Effect.sync(() => body.off("drain", drained))
  }).pipe(Effect.timeoutOrElse({ duration: silence, orElse: () => Effect.fail(noResponse("PutObject", silence)) }))

/**
 * Stores an object while its bytes arrive. A store has the object as soon as it has the last byte, so the last chunk is sent only
 * after the stream has ended; until then, a failure or an interruption ends the request, and nothing is stored. From then on it is
 * uninterruptible. A request whose body is a stream isn't repeated.
 */
const receiveObject = Effect.fnUntraced(function* <E>(
  { bucket, client, prefix }: BucketLocation,
  { contentEncoding, contentType, key, sizeBytes }: IncomingObject & { readonly key: ObjectKey },
  bytes: Stream.Stream<Uint8Array, E>
) {
  const command = {
    Bucket: bucket,
    Key: prefix + key,
    ContentType: contentType,
    ContentLength: sizeBytes,
    ...withoutUndefined({ ContentEncoding: contentEncoding })
  }
  if (sizeBytes === 0) {
    yield* Stream.runDrain(bytes)
    const send = attempt("PutObject", shortTimeouts, (options) =>
      client.send(new PutObjectCommand({ ...command, Body: "" }), options)
    )
    return yield* Effect.uninterruptible(Effect.asVoid(send))
  }
  const body = new PassThrough({ highWaterMark })
  // The failure is that of the request.
  body.on("error", () => {})
  const ended = yield* Deferred.make<void>()
  const late = Effect.andThen(Deferred.await(ended), Effect.sleep(longTimeouts.head)).pipe(
    Effect.andThen(Effect.fail(noResponse("PutObject", longTimeouts.head)))
  )
  const sending = yield* Effect.tryPromise({
    try: (abortSignal) =>
      client.send(new PutObjectCommand({ ...command, Body: body }), { abortSignal, requestTimeout: 0 }),
    catch: (cause) => faultOf("PutObject", cause)
  }).pipe(Effect.raceFirst(late), Effect.ensuring(Effect.sync(() => body.destroy())), Effect.forkScoped)
  let last: Uint8Array | undefined
  const pass = (chunk: Uint8Array) => {
    if (chunk.byteLength === 0) return Effect.void
    const before = last
    last = chunk
    return before === undefined ? Effect.void : write(body, before)
  }
  // A store may refuse the request before it has read the body.
  const refused = Effect.andThen(Fiber.join(sending), Effect.never)
  yield* Effect.raceFirst(
    Stream.runForEachArray(bytes, (chunks) => Effect.forEach(chunks, pass, { discard: true })),
    refused
  )
  yield* Effect.uninterruptible(
    Effect.gen(function* () {
      body.end(last)
      yield* Deferred.succeed(ended, undefined)
      yield* Fiber.join(sending)
    })
  )
}, Effect.scoped)

/** The greatest number of objects in one request. */
const keysPerRequest = 1000

/**
 * The errors of single objects of a deletion that its repetition avoids. The SDK repeats failed requests only. Ceph reports two deletions of
 * one object at the same moment as `UnknownError`.
 */
const transient = /^(?:UnknownError|InternalError|ServiceUnavailable|SlowDown|OperationAborted)$/

const removeSome = ({ bucket, client, prefix }: BucketLocation, keys: ReadonlyArray<string>) =>
  attempt("DeleteObjects", longTimeouts, (options) =>
    client.send(
      new DeleteObjectsCommand({
        Bucket: bucket,
        Delete: { Quiet: true, Objects: keys.map((key) => ({ Key: prefix + key })) }
      }),
      options
    )
  ).pipe(
    // The status is 200 even when some objects could not be deleted.
    Effect.flatMap(({ Errors = [] }) => {
      const kept = Errors.filter(({ Code }) => Code !== "NoSuchKey")
      const [first] = kept
      if (first === undefined) return Effect.void
      const { Code: name = "Error", Message = "" } = first
      const detail = `${kept.length} of ${keys.length} objects: ${Message}`
      return Effect.fail(new StoreFault({ call: "DeleteObjects", name, status: 200, detail }))
    }),
    Effect.retry({
      while: ({ name, status }) => status === 200 && transient.test(name),
      schedule: Schedule.exponential("50 millis"),
      times: 4
    })
  )

/** Removes objects. A missing one is no error. */
export const removeObjects = (location: BucketLocation, keys: ReadonlyArray<string>): Effect.Effect<void, StoreFault> =>
  Effect.forEach(Array.chunksOf(keys, keysPerRequest), (some) => removeSome(location, some), {
    concurrency: 4,
    discard: true
  })

/** The greatest size of one PUT or copy in S3. */
const largestPut = 5 * 1024 ** 3

/** Whether a store takes and tells checksums: asked of it until it refused, and as its last copy reported. */
interface Checksums {
  requested: boolean
  reported: boolean
}

/** The refusals of a store that knows no checksums of copies. */
const isUnknown = ({ status }: StoreFault): boolean => status === 400 || status === 501

const copy = (location: BucketLocation, checksums: Checksums, from: ObjectKey, to: ObjectKey, contentType?: string) => {
  const { bucket, client, prefix } = location
  const CopySource = encodePath(`${bucket}/${prefix}${from}`)
  const type = contentType === undefined ? {} : { MetadataDirective: "REPLACE" as const, ContentType: contentType }
  const command = { Bucket: bucket, Key: prefix + to, CopySource, ...type }
  const plain = attempt("CopyObject", longTimeouts, (options) => client.send(new CopyObjectCommand(command), options))
  const withChecksum = attempt("CopyObject", longTimeouts, (options) =>
    client.send(new CopyObjectCommand({ ...command, ChecksumAlgorithm: "SHA256" }), options)
  ).pipe(
    Effect.tap(({ CopyObjectResult }) =>
      Effect.sync(() => void (checksums.reported = CopyObjectResult?.ChecksumSHA256 !== undefined))
    ),
    Effect.catchIf(isUnknown, () => Effect.tap(plain, () => Effect.sync(() => void (checksums.requested = false))))
  )
  return (checksums.requested ? withChecksum : plain).pipe(orMissing(location, from), Effect.asVoid)
}

/**
 * Objects in a bucket, or below a prefix of one. The checksum that a store computes for a copy is trusted, like the bytes that
 * it returns. If a store computes none, the thread reads the copies; without a thread, the caller that needs a digest reads them.
 */
export const makeObjects = (location: BucketLocation, thread?: DigestThread) =>
  makeObjectStore(makeDriver(location, thread))

/**
 * The same objects behind URLs of the host: clients never reach the store. A store keeps nothing with an object that is known only
 * after its last byte, so a finalize gets the digest as it does after a PUT to the store itself.
 */
export const makeServedObjects = (urls: SignedUrls["Service"], location: BucketLocation, thread?: DigestThread) =>
  makeServedStore(urls, {
    ...makeDriver(location, thread),
    keepsNoDigest: true,
    receive: (object, bytes) => receiveObject(location, object, bytes)
  })

const makeDriver = (location: BucketLocation, thread: DigestThread | undefined): ObjectDriver<StoreFault> => {
  const sign = makeSigning(location)
  const checksums: Checksums = { requested: true, reported: false }
  const digestInThread = Effect.fnUntraced(function* (key: ObjectKey, { digest }: DigestThread) {
    const now = yield* DateTime.now
    const request = { method: "GET" as const, key, expiresAt: DateTime.addDuration(now, "5 minutes") }
    const [url] = yield* attempt("sign", shortTimeouts, () => sign([signable(request, now)]))
    return url === undefined ? undefined : yield* digest(url)
  })
  return {
    largestPut,
    presign: Effect.fnUntraced(function* (requests) {
      const now = yield* DateTime.now
      const signables = requests.map((request) => signable(request, now))
      return yield* attempt("sign", shortTimeouts, () => sign(signables))
    }),
    copy: (from, to, contentType) => copy(location, checksums, from, to, contentType),
    examine: Effect.fnUntraced(function* (key) {
      const reported = checksums.reported ? yield* examineByChecksum(location, key) : undefined
      return reported ?? (thread && (yield* digestInThread(key, thread)))
    }),
    list: (folder) => listBelow(location, `${folder}/`),
    scan: (folder, after) => scanBelow(location, `${folder}/`, after),
    open: (key, range) => openObject(location, key, range),
    remove: (keys) => removeObjects(location, keys),
    check: listOne(location),
    log: logFault,
    isFull
  }
}
