import { Schema, type DateTime, type Option } from "effect"
import { AccountId } from "./Account.ts"
import { KeyId } from "./ApiKey.ts"
import { SizeBytes } from "./Artifact.ts"
import { ObjectKey } from "./HostedObject.ts"

/** Ids sort by the time of reservation (UUID version 7), so the greater of two is the one reserved last. */
export const ReservationId = Schema.String.pipe(Schema.brand("ReservationId"))
export type ReservationId = typeof ReservationId.Type

/**
 * How the objects of a finalized upload are stored. An account's identical bytes are stored once, regardless of their names and
 * content types. `shared` has the keys of the objects that are not stored at `hostedPrefix` plus their name.
 *
 * `newBytes` were not stored for the account before. Of those, `ownBytes` can't be shared by other uploads, because they have no
 * declared SHA-256, are gzip or have a content encoding.
 */
export const StoredUpload = Schema.Struct({
  newBytes: SizeBytes,
  ownBytes: SizeBytes,
  shared: Schema.Record(Schema.String, ObjectKey)
})
export type StoredUpload = typeof StoredUpload.Type

/**
 * A reserved upload: its token, its expiry and, once finalized, the location of its bytes.
 *
 * The token itself is never stored; `tokenHash` is its SHA-256. `hostedPrefix` is the key prefix below which the
 * verified objects lie; it is set together with `finalizedAt` and `stored`, and none of them changes again.
 *
 * `keyId` is the key that reserved, if any; reservations of older versions of Slipway have none. `decompressedBytes` is how many
 * bytes were decompressed while its PUTs were received, and by failed attempts to finalize; absent if none. `metadataBytes`
 * counts in `bytesStored` in addition to its objects, until it is deleted, finalized or not; reservations of older versions of
 * Slipway have none.
 *
 * @see docs/interface.md#2.2
 */
export const Reservation = Schema.Struct({
  id: ReservationId,
  tokenHash: Schema.String,
  accountId: AccountId,
  keyId: Schema.optionalKey(KeyId),
  reservedAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  finalizedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  hostedPrefix: Schema.optionalKey(Schema.String),
  stored: Schema.optionalKey(StoredUpload),
  decompressedBytes: Schema.optionalKey(Schema.Int),
  metadataBytes: Schema.optionalKey(SizeBytes)
})
export type Reservation = typeof Reservation.Type

/** The fields of a deleted upload that locate its objects. */
export type RemovedUpload = Pick<Reservation, "id" | "accountId" | "expiresAt" | "stored">

/** The number of open reservations of an account, and when the first of them expires. */
export interface OpenReservations {
  readonly count: number
  readonly firstEnd: Option.Option<DateTime.Utc>
}

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
