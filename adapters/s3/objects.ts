import { CopyObjectCommand } from "@aws-sdk/client-s3"
import { DateTime, Effect } from "effect"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import { makeObjectStore } from "../object-store/makeObjectStore.ts"
import { attempt, brisk, isFull, logFault, patient, type StoreFault } from "./attempt.ts"
import { listBelow, listOne, scanBelow } from "./list.ts"
import { orMissing } from "./missing.ts"
import { encodePath, type BucketLocation } from "./bucketLocation.ts"
import { makeSigning, signable } from "./presigning.ts"
import { openObject } from "./reading.ts"
import { removeObjects } from "./remove.ts"

/** The greatest size of one PUT or copy in S3. */
const largestPut = 5 * 1024 ** 3

const copy = (location: BucketLocation, from: ObjectKey, to: ObjectKey, contentType?: string) => {
  const { bucket, client, prefix } = location
  const CopySource = encodePath(`${bucket}/${prefix}${from}`)
  const type = contentType === undefined ? {} : { MetadataDirective: "REPLACE" as const, ContentType: contentType }
  return attempt("CopyObject", patient, (options) =>
    client.send(new CopyObjectCommand({ Bucket: bucket, Key: prefix + to, CopySource, ...type }), options)
  ).pipe(orMissing(location, from), Effect.asVoid)
}

/** Objects in a bucket, or below a prefix of one. */
export const makeObjects = (location: BucketLocation) => {
  const sign = makeSigning(location)
  return makeObjectStore<StoreFault>({
    largestPut,
    presign: Effect.fnUntraced(function* (requests) {
      const now = yield* DateTime.now
      const signables = requests.map((request) => signable(request, now))
      return yield* attempt("sign", brisk, () => sign(signables))
    }),
    copy: (from, to, contentType) => copy(location, from, to, contentType),
    list: (folder) => listBelow(location, `${folder}/`),
    scan: (folder, after) => scanBelow(location, `${folder}/`, after),
    open: (key, range) => openObject(location, key, range),
    remove: (keys) => removeObjects(location, keys),
    check: listOne(location),
    log: logFault,
    isFull
  })
}
