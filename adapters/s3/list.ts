import { ListObjectsV2Command, type ListObjectsV2CommandInput } from "@aws-sdk/client-s3"
import { Effect, Option, Stream } from "effect"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { ScannedObject, StoredObject } from "../../core/ports/ObjectStore.ts"
import { attempt, shortTimeouts, type StoreFault } from "./attempt.ts"
import type { BucketLocation } from "./bucketLocation.ts"

const pageOf = (
  { bucket, client, prefix }: BucketLocation,
  below: string,
  page: Pick<ListObjectsV2CommandInput, "ContinuationToken" | "MaxKeys" | "StartAfter">
) =>
  attempt("ListObjectsV2", shortTimeouts, (options) =>
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

/** The same, a thousand at a time as they are asked for, behind a key. */
export const scanBelow = (
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
