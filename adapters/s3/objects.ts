import { CopyObjectCommand } from "@aws-sdk/client-s3"
import { DateTime, Effect } from "effect"
import type { Unavailable } from "../../core/model/Problem.ts"
import { ObjectMissing, ObjectStore } from "../../core/ports/ObjectStore.ts"
import { illegalKey, illegalPrefix, isObjectKey } from "../../core/rules/objectKeys.ts"
import { attempt, brisk, patient, unavailable } from "./attempt.ts"
import { listBelow, listOne } from "./list.ts"
import { orMissing } from "./missing.ts"
import { encodePath } from "./bucketLocation.ts"
import type { BucketLocation } from "./bucketLocation.ts"
import { makeSigning, signableGet, signablePut } from "./presigning.ts"
import type { Signable } from "./presigning.ts"
import { openObject } from "./reading.ts"
import { removeObjects } from "./remove.ts"

/** The most that one PUT of S3 takes, and one copy. */
const largestPut = 5 * 1024 ** 3

const copy = (location: BucketLocation, from: string, to: string) => {
  const { bucket, client, prefix } = location
  const CopySource = encodePath(`${bucket}/${prefix}${from}`)
  return attempt("CopyObject", patient, (options) =>
    client.send(new CopyObjectCommand({ Bucket: bucket, Key: prefix + to, CopySource }), options)
  ).pipe(orMissing(location, from), Effect.asVoid)
}

/** Objects in a bucket, or below a prefix of one. */
export const makeObjects = (location: BucketLocation) => {
  const signing = makeSigning(location)

  const sign = (
    prepare: (now: DateTime.Utc) => ReadonlyArray<Signable>
  ): Effect.Effect<ReadonlyArray<string>, Unavailable> =>
    Effect.flatMap(DateTime.now, (now) => {
      const requests = prepare(now)
      return attempt("sign", brisk, () => signing(requests))
    }).pipe(Effect.catchTag("StoreFault", unavailable))

  return ObjectStore.of({
    largestPut,
    presignPuts: (requests) => sign((now) => requests.map((request) => signablePut(request, now))),
    presignGet: (request) =>
      Effect.flatMap(
        sign((now) => [signableGet(request, now)]),
        ([url]) => (url === undefined ? Effect.die("one URL was asked for") : Effect.succeed(url))
      ),
    promote: (from, to) => {
      if (!isObjectKey(to)) return Effect.die(illegalKey(to))
      if (!isObjectKey(from)) return Effect.fail(new ObjectMissing())
      // An interrupted finalize removes what it promoted. A copy that arrived after the removal would stay for ever.
      return copy(location, from, to).pipe(Effect.catchTag("StoreFault", unavailable), Effect.uninterruptible)
    },
    list: (below) => {
      if (!below.endsWith("/")) return Effect.die(illegalPrefix(below))
      return isObjectKey(below.slice(0, -1))
        ? Effect.catchTag(listBelow(location, below), "StoreFault", unavailable)
        : Effect.succeed([])
    },
    read: (key, range) => (isObjectKey(key) ? openObject(location, key, range) : Effect.fail(new ObjectMissing())),
    remove: (keys) => Effect.catchTag(removeObjects(location, keys.filter(isObjectKey)), "StoreFault", unavailable),
    check: Effect.catchTag(listOne(location), "StoreFault", unavailable)
  })
}
