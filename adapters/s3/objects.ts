import { CopyObjectCommand } from "@aws-sdk/client-s3"
import { DateTime, Effect } from "effect"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { makeObjectStore } from "../object-store/makeObjectStore.ts"
import type { ObjectDriver } from "../object-store/ObjectDriver.ts"
import { makeServedStore } from "../signed-urls/makeServedStore.ts"
import type { SignedUrls } from "../signed-urls/SignedUrls.ts"
import { attempt, shortTimeouts, isFull, logFault, longTimeouts, type StoreFault } from "./attempt.ts"
import type { DigestThread } from "./digestThread.ts"
import { examineByChecksum } from "./examine.ts"
import { listBelow, listOne, scanBelow } from "./list.ts"
import { orMissing } from "./missing.ts"
import { encodePath, type BucketLocation } from "./bucketLocation.ts"
import { makeSigning, signable } from "./presigning.ts"
import { openObject } from "./reading.ts"
import { receiveObject } from "./receive.ts"
import { removeObjects } from "./remove.ts"

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
