import { Schema } from "effect"
import { AccountId } from "./Account.ts"
import { ContentHash, SizeBytes } from "./Artifact.ts"

const form = /^[A-Za-z0-9!\-_.*'()]+(?:\/[A-Za-z0-9!\-_.*'()]+)*$/

/**
 * The key of an object: 1 to 512 characters of `A-Z a-z 0-9 ! - _ . * ' ( )`, in segments divided by single slashes; no
 * segment is empty, `.` or `..`. Every such text can be a path of a URL and of a file, and a key of S3.
 */
export const ObjectKey = Schema.String.check(
  Schema.makeFilter(
    (text: string) =>
      (text.length <= 512 &&
        form.test(text) &&
        text.split("/").every((segment) => segment !== "." && segment !== "..")) ||
      "must be the key of an object"
  )
).pipe(Schema.brand("ObjectKey"))
export type ObjectKey = typeof ObjectKey.Type

/** Whether a text can be the key of an object. */
export const isObjectKey: (text: string) => text is ObjectKey = Schema.is(ObjectKey)

/**
 * An object that an account finalized, by its verified digest. Later uploads of the same bytes share it, so the bytes are stored
 * once and needn't be sent again. There is one for each content, as long as any upload has it. Objects that are gzip or have a
 * content encoding have none: for all others, the same digest and size mean the same bytes.
 *
 * @see docs/api-behavior.md
 */
export const HostedObject = Schema.Struct({
  accountId: AccountId,
  contentHash: ContentHash,
  sizeBytes: SizeBytes,
  objectKey: ObjectKey
})
export type HostedObject = typeof HostedObject.Type

/** The identity of bytes, independent of their account, name and type. */
export type Content = Pick<HostedObject, "contentHash" | "sizeBytes">

/** Ids sort by the time of the deletion (UUID version 7). */
export const ObjectDeletionId = Schema.String.pipe(Schema.brand("RemovalId"))
export type ObjectDeletionId = typeof ObjectDeletionId.Type

/**
 * A task to remove the objects below a prefix that ends with a slash. No record refers to them since `since`.
 *
 * New objects may still be stored there for a while: by a PUT URL that was signed earlier, or by a running finalize. From
 * `settledAt` on this is impossible, so the removal is complete when it was done at `settledAt` or later. `dueAt` is the time of
 * the next attempt.
 */
export const ObjectDeletion = Schema.Struct({
  id: ObjectDeletionId,
  accountId: AccountId,
  prefix: Schema.String,
  since: Schema.DateTimeUtcFromString,
  settledAt: Schema.DateTimeUtcFromString,
  dueAt: Schema.DateTimeUtcFromString
})
export type ObjectDeletion = typeof ObjectDeletion.Type
