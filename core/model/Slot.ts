import { Schema } from "effect"

const fields = {
  putUrl: Schema.String,
  method: Schema.Literal("PUT"),
  objectKey: Schema.String,
  contentType: Schema.String,
  sizeBytes: Schema.Int,
  expiresAt: Schema.DateTimeUtcFromString,
  /**
   * The account has these bytes already in a finalized upload, so that finalize needs no PUT. A PUT is
   * still accepted.
   */
  uploaded: Schema.optionalKey(Schema.Literal(true))
}

/** Where to PUT the bundle: exactly `sizeBytes` bytes, `contentType` as the content type header. @see docs/interface.md#2.5 */
export const BundleSlot = Schema.Struct(fields).annotate({ identifier: "BundleSlot" })
export type BundleSlot = typeof BundleSlot.Type

/** Where to PUT a declared file, named by its `path`. @see docs/interface.md#2.5 */
export const FileSlot = Schema.Struct({ ...fields, path: Schema.String }).annotate({ identifier: "FileSlot" })
export type FileSlot = typeof FileSlot.Type

/** Where to PUT a declared recording, called by its `name`, in the order declared. @see docs/interface.md#2.5 */
export const RecordingSlot = Schema.Struct({ ...fields, name: Schema.String }).annotate({ identifier: "RecordingSlot" })
