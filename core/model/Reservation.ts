import { Schema } from "effect"
import { AccountId } from "./Account.ts"

/** Ids sort by the time of reservation (UUID version 7), so the greater of two is the one reserved last. */
export const ReservationId = Schema.String.pipe(Schema.brand("ReservationId"))
export type ReservationId = typeof ReservationId.Type

/**
 * An upload that was announced: who may finalize it, until when, and, once finalized, where its bytes are hosted.
 *
 * The token itself is never stored; `tokenHash` is its SHA-256. `hostedPrefix` is the key prefix below which the
 * verified objects lie; it is set together with `finalizedAt` and never changes again.
 *
 * @see interface §2.2
 */
export const Reservation = Schema.Struct({
  id: ReservationId,
  tokenHash: Schema.String,
  accountId: AccountId,
  reservedAt: Schema.DateTimeUtcFromString,
  expiresAt: Schema.DateTimeUtcFromString,
  finalizedAt: Schema.optionalKey(Schema.DateTimeUtcFromString),
  hostedPrefix: Schema.optionalKey(Schema.String)
})
export type Reservation = typeof Reservation.Type
