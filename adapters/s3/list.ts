import { ListObjectsV2Command, type ListObjectsV2CommandInput } from "@aws-sdk/client-s3"
import { Effect } from "effect"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { StoredObject } from "../../core/ports/ObjectStore.ts"
import { attempt, brisk, type StoreFault } from "./attempt.ts"
import type { BucketLocation } from "./bucketLocation.ts"

const pageOf = (
  { bucket, client, prefix }: BucketLocation,
  below: string,
  page: Pick<ListObjectsV2CommandInput, "ContinuationToken" | "MaxKeys">
) =>
  attempt("ListObjectsV2", brisk, (options) =>
    client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix + below, ...page }), options)
  )

/** The first object of the location, if there is one: the cheapest request that needs no additional permission. */
export const listOne = (location: BucketLocation): Effect.Effect<void, StoreFault> =>
  Effect.asVoid(pageOf(location, "", { MaxKeys: 1 }))

/** The objects whose keys begin with `below`, with one request per thousand. */
export const listBelow = Effect.fnUntraced(function* (
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
