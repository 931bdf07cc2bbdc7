import { Schema } from "effect"

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
