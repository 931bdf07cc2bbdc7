import { Schema, type DateTime, type Option } from "effect"
import { AccountId } from "./Account.ts"
import { KeyId } from "./ApiKey.ts"
import { SizeBytes } from "./Artifact.ts"
import { ObjectKey } from "./ObjectKey.ts"

/** Ids sort by the time of reservation (UUID version 7), so the greater of two is the one reserved last. */
export const ReservationId = Schema.String.pipe(Schema.brand("ReservationId"))
export type ReservationId = typeof ReservationId.Type

/**
 * How the objects of a finalized upload are stored. An account's equal bytes are stored once, whatever their names and content
 * types: `shared` has the keys of the objects that lie elsewhere than below the upload's `hostedPrefix` and its own name.
 *
 * `newBytes` were not stored for the account before. Of those, `ownBytes` can't be shared by other uploads: no SHA-256 of them was
 * declared, or they are gzip or have a content encoding.
 */
export const StoredUpload = Schema.Struct({
  newBytes: SizeBytes,
  ownBytes: SizeBytes,
  shared: Schema.Record(Schema.String, ObjectKey)
})
export type StoredUpload = typeof StoredUpload.Type

/**
 * An upload that was announced: who may finalize it, until when, and, once finalized, where its bytes are hosted.
 *
 * The token itself is never stored; `tokenHash` is its SHA-256. `hostedPrefix` is the key prefix below which the
 * verified objects lie; it is set together with `finalizedAt` and `stored`, and none of them changes again.
 *
 * `keyId` is the key that reserved; what was reserved without a key, or by an older version of Slipway, has none. `decompressedBytes` is how
 * many bytes were decompressed of its PUTs as they came in, and by attempts to finalize that came to nothing; absent while
 * there are none. `metadataBytes` is what it counts in `bytesKept` until it is deleted, finalized or not, beside its objects; what an older
 * version of Slipway reserved counts nothing.
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

/** What is known of an upload that is deleted: where its objects lie. */
export type RemovedUpload = Pick<Reservation, "id" | "accountId" | "expiresAt" | "stored">

/** Open reservations of an account: how many, and when the first of them ends by itself. */
export interface OpenReservations {
  readonly count: number
  readonly firstEnd: Option.Option<DateTime.Utc>
}
