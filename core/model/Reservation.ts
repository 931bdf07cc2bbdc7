import { Schema, type DateTime, type Option } from "effect"
import { AccountId } from "./Account.ts"
import { KeyId } from "./ApiKey.ts"
import type { Digests } from "./Artifact.ts"

/** Ids sort by the time of reservation (UUID version 7), so the greater of two is the one reserved last. */
export const ReservationId = Schema.String.pipe(Schema.brand("ReservationId"))
export type ReservationId = typeof ReservationId.Type

/**
 * An upload that was announced: who may finalize it, until when, and, once finalized, where its bytes are hosted.
 *
 * The token itself is never stored; `tokenHash` is its SHA-256. `hostedPrefix` is the key prefix below which the
 * verified objects lie; it is set together with `finalizedAt` and never changes again.
 *
 * `keyId` is the key that reserved; what was reserved without a key, or by an older version of Slipway, has none. `decompressedBytes` is how
 * many bytes were decompressed of its PUTs as they came in, and by attempts to finalize that came to nothing; absent while
 * there are none.
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
  decompressedBytes: Schema.optionalKey(Schema.Int)
})
export type Reservation = typeof Reservation.Type

/** What a finalize sets of an upload. */
export interface Finalized {
  readonly now: DateTime.Utc
  /** The key prefix below which the verified objects lie. */
  readonly hostedPrefix: string
  /** The digests of objects that declared none; absent if there is none to record. */
  readonly digests?: Digests | undefined
}

/** Open reservations of an account: how many, and when the first of them ends by itself. */
export interface OpenReservations {
  readonly count: number
  readonly firstEnd: Option.Option<DateTime.Utc>
}
