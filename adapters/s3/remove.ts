import { DeleteObjectsCommand } from "@aws-sdk/client-s3"
import { Array, Effect } from "effect"
import { attempt, longTimeouts, StoreFault } from "./attempt.ts"
import type { BucketLocation } from "./bucketLocation.ts"

/** The greatest number of objects in one request. */
const atOnce = 1000

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
    })
  )

/** Removes objects. A missing one is no error. */
export const removeObjects = (location: BucketLocation, keys: ReadonlyArray<string>): Effect.Effect<void, StoreFault> =>
  Effect.forEach(Array.chunksOf(keys, atOnce), (some) => removeSome(location, some), { concurrency: 4, discard: true })
