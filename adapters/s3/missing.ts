import { ListObjectsV2Command } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import { ObjectMissing } from "../../core/ports/ObjectStore.ts"
import { attempt, shortTimeouts, type StoreFault } from "./attempt.ts"
import type { BucketLocation } from "./bucketLocation.ts"

const isListed = ({ bucket, client, prefix }: BucketLocation, key: string): Effect.Effect<boolean, StoreFault> => {
  const name = prefix + key
  return attempt("ListObjectsV2", shortTimeouts, (options) =>
    client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: name, MaxKeys: 1 }), options)
  ).pipe(Effect.map(({ Contents = [] }) => Contents[0]?.Key === name))
}

/**
 * Tells a missing object from other refusals. To a caller who may not list the whole bucket, S3 answers that access to
 * a missing object is denied. A listing then decides: an object that it leaves out is missing; when it shows the object
 * or is refused itself, permissions are missing.
 */
export const orMissing =
  (location: BucketLocation, key: string) =>
  <A, R>(effect: Effect.Effect<A, StoreFault, R>): Effect.Effect<A, StoreFault | ObjectMissing, R> =>
    Effect.catchTag(effect, "StoreFault", (fault) => {
      if (fault.name === "NoSuchKey") return Effect.fail(new ObjectMissing())
      if (fault.status !== 403) return Effect.fail(fault)
      return Effect.catchTag(isListed(location, key), "StoreFault", () => Effect.succeed(true)).pipe(
        Effect.flatMap((listed) => Effect.fail(listed ? fault : new ObjectMissing()))
      )
    })
