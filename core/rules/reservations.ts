/**
 * The decisions about an upload that are the same for builds and previews: whether the account may reserve one more,
 * which objects it expects and under which keys, whether a PUT is still accepted, and who may finalize it.
 */
import { Array, DateTime, Duration, Option, Result } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { DeclaredFile, DeclaredObject, Digests } from "../model/Artifact.ts"
import type { ObjectKey, ObjectDeletion } from "../model/HostedObject.ts"
import type { Recording } from "../model/Preview.ts"
import { NotFound, RateLimited, ReservationExpired, UrlRefused } from "../model/Problem.ts"
import {
  ReservationId,
  type OpenReservations,
  type RemovedUpload,
  type Reservation,
  type StoredUpload
} from "../model/Reservation.ts"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import { isLive } from "./credentials.ts"

/** The key prefix to which a reservation's objects are uploaded. Every presigned PUT URL writes below such a prefix. */
export const stagingPrefix = (reservation: Pick<Reservation, "id">): string => `uploads/${reservation.id}/`

/** The reservation that an uploaded object belongs to, by its key: the inverse of {@link stagingPrefix}. */
export const reservationOf = (objectKey: string): ReservationId | undefined => {
  const [, id] = /^uploads\/([^/]+)\/./.exec(objectKey) ?? []
  return id === undefined ? undefined : ReservationId.make(id)
}

/**
 * Whether an account with these open reservations may make another one; `most` is how many it may have open. If not,
 * `RateLimited` says when the first of them ends.
 */
export const decideOpenReservations = (
  open: OpenReservations,
  most: number,
  now: DateTime.Utc
): Result.Result<void, RateLimited> => {
  if (open.count < most) return Result.void
  const end = Option.getOrElse(open.firstEnd, () => now)
  return Result.fail(
    new RateLimited({
      detail: `This account has ${most} open reservations, as many as it may have; finalize one, or wait until one ends.`,
      policy: "open-reservations",
      limit: most,
      retryAfterSeconds: Math.max(1, Math.ceil(Duration.toSeconds(DateTime.distance(now, end))))
    })
  )
}

/** Refuses the URL of an unknown reservation. */
export const noReservation = new UrlRefused({ detail: "There is no reservation that this URL is for." })

/**
 * The reservation, if its presigned PUT URLs still store something. `key` is that of the reservation's `keyId`.
 *
 * | reservation | its key | decided |
 * | --- | --- | --- |
 * | unknown | any | `UrlRefused` |
 * | finalized | any | `UrlRefused` |
 * | open | revoked or expired | `UrlRefused` |
 * | open | unknown | `UrlRefused` |
 * | open | live | it may |
 * | open, reserved without a key, or before keys were kept | none | it may |
 *
 * A URL expires with its reservation.
 */
export const decidePut = <R extends Pick<Reservation, "finalizedAt" | "keyId">>(
  reservation: R | undefined,
  key: Pick<ApiKey, "expiresAt" | "revokedAt"> | undefined,
  now: DateTime.Utc
): Result.Result<R, UrlRefused> => {
  if (reservation === undefined) {
    return Result.fail(noReservation)
  }
  if (reservation.finalizedAt !== undefined) {
    return Result.fail(new UrlRefused({ detail: "The upload that this URL is for was finalized; reserve a new one." }))
  }
  return reservation.keyId === undefined || (key !== undefined && isLive(key, now))
    ? Result.succeed(reservation)
    : Result.fail(new UrlRefused({ detail: "The API key that this URL was made for is revoked or has expired." }))
}

/** The key prefix below which every attempt to finalize a reservation promotes its objects. */
export const hostedRoot = (reservation: Pick<Reservation, "id">): string => `hosted/${reservation.id}/`

/**
 * The key prefix to which one attempt to finalize promotes the objects that it verifies. No PUT URL is ever signed for
 * it, and each attempt has its own.
 */
export const hostedPrefix = (reservation: Pick<Reservation, "id">, attempt: string): string =>
  `${hostedRoot(reservation)}${attempt}/`

/** That the objects of an upload were verified. */
export interface Finalizing {
  readonly now: DateTime.Utc
  /** The key prefix below which its objects lie, those apart that it shares with other uploads. */
  readonly hostedPrefix: string
  /** The digests of objects that declared none; absent if there is none to record. */
  readonly digests?: Digests | undefined
  readonly stored?: StoredUpload
}

/** An upload was verified: its next state. */
export const onVerified = <R extends Reservation & { readonly digests?: Digests }>(
  reservation: R,
  { digests, now, ...where }: Finalizing
): R => ({
  ...reservation,
  finalizedAt: now,
  ...where,
  ...withoutUndefined({ digests })
})

/** The upload whose finalize stored an object, by the object's key or a prefix below {@link hostedRoot}. */
export const storedBy = (hostedKey: string): ReservationId | undefined => {
  const [, id] = /^hosted\/([^/]+)\//.exec(hostedKey) ?? []
  return id === undefined ? undefined : ReservationId.make(id)
}

/** An upload, as far as it says where its objects lie and what they are. */
export interface HostedUpload extends Pick<Reservation, "hostedPrefix" | "stored"> {
  readonly digests?: Digests
}

/** An object of a finalized upload: where it lies, with the digest that it declared or, if it declared none, that finalize recorded. */
export interface Located extends DeclaredObject {
  readonly key: string
  /** Whether it was stored under another name, and maybe with another content type. */
  readonly isShared: boolean
}

/** Finds an object of an upload; `undefined` before the upload is finalized. */
export const locate = (
  { digests, hostedPrefix, stored }: HostedUpload,
  object: DeclaredObject
): Located | undefined => {
  if (hostedPrefix === undefined) return undefined
  const shared = stored?.shared[object.name]
  return {
    ...object,
    ...withoutUndefined({ contentHash: object.contentHash ?? digests?.[object.name] }),
    key: shared ?? hostedPrefix + object.name,
    isShared: shared !== undefined
  }
}

/** The keys of the objects that a finalized upload shares with earlier ones, each once. */
export const sharedWithOthers = ({ id, stored }: Pick<Reservation, "id" | "stored">): ReadonlyArray<ObjectKey> =>
  [...new Set(Object.values(stored?.shared ?? {}))].filter((key) => storedBy(key) !== id)

/** The object that holds a recording, by the place that it has among them. */
export const recordingObject = (index: number): string => `recordings/${index}`

/** What every upload declares, and the recordings of a preview. */
export interface UploadDeclaration {
  readonly bundleSizeBytes: number
  readonly bundleContentType: string
  readonly contentHash: string
  readonly files: ReadonlyArray<DeclaredFile>
  readonly recordings?: ReadonlyArray<Recording>
}

/** The objects that an upload expects: the bundle, its files, its recordings. */
export const declaredObjects = (declaration: UploadDeclaration): Array.NonEmptyReadonlyArray<DeclaredObject> => [
  {
    name: "bundle",
    sizeBytes: declaration.bundleSizeBytes,
    contentType: declaration.bundleContentType,
    contentHash: declaration.contentHash
  },
  ...declaration.files.map((file, index) => ({ name: `files/${index}`, ...file })),
  ...(declaration.recordings ?? []).map(({ contentHash, contentType, sizeBytes }, index) => ({
    name: recordingObject(index),
    sizeBytes,
    contentType,
    ...withoutUndefined({ contentHash })
  }))
]

/** The next step of a finalize: repeat the earlier answer, or verify what was uploaded. */
type FinalizeStep = "answer-again" | "verify"

/**
 * What an account may do with a reservation whose token it presents.
 *
 * | reservation | finalizing account | step |
 * | --- | --- | --- |
 * | any | not the reserving one | `NotFound` |
 * | finalized, alive or not | the reserving one | `answer-again` |
 * | open and alive | the reserving one | `verify` |
 * | open, its life over | the reserving one | `ReservationExpired` |
 *
 * @see docs/interface.md#3, #5
 */
export const decideFinalize = (
  reservation: Reservation,
  by: AccountId,
  now: DateTime.Utc
): Result.Result<FinalizeStep, NotFound | ReservationExpired> => {
  if (reservation.accountId !== by) return Result.fail(NotFound.default)
  if (reservation.finalizedAt !== undefined) return Result.succeed("answer-again")
  return DateTime.isLessThan(now, reservation.expiresAt)
    ? Result.succeed("verify")
    : Result.fail(
        new ReservationExpired({
          detail: `This reservation ended at ${DateTime.formatIso(reservation.expiresAt)}; reserve again.`
        })
      )
}

/**
 * Whether `bound` bytes or more were decompressed of a reservation. Such a reservation can't be finalized any more. Until
 * then each attempt may decompress up to `bound` bytes, so that a client can replace a wrong upload. The total stays below
 * twice the bound.
 */
export const isDecompressionBudgetSpent = (
  reservation: Pick<Reservation, "decompressedBytes">,
  bound: number
): boolean => (reservation.decompressedBytes ?? 0) >= bound

/**
 * How many bytes the PUTs to a reservation may still decompress as they come in. They never make it `isDecompressionBudgetSpent`
 * by themselves: a digest that they could not take is left to the finalize, which has its own attempt then.
 */
export const decompressibleByPuts = (reservation: Pick<Reservation, "decompressedBytes">, bound: number): number =>
  Math.max(0, bound - 1 - (reservation.decompressedBytes ?? 0))

// What is to be removed of an upload once its record is deleted, and until when.

/**
 * How long a finalize that was under way when its reservation was deleted may still promote objects. It removes them itself
 * when it ends; this is for one whose host was killed.
 */
export const finalizeGrace = Duration.hours(1)

/**
 * The removals of what was uploaded for a reservation that is deleted at `now`: where it was PUT, where it is hosted, and where other
 * uploads hosted what it shared with them. What any upload still has stays.
 */
export const removalsOf = (
  { accountId, expiresAt, ...upload }: RemovedUpload,
  now: DateTime.Utc
): Array.NonEmptyReadonlyArray<Omit<ObjectDeletion, "id">> => {
  const finalized = DateTime.addDuration(now, finalizeGrace)
  const fields = { accountId, since: now, dueAt: now }
  const elsewhere = [...new Set(sharedWithOthers(upload).flatMap((key) => storedBy(key) ?? []))]
  return [
    // A store may take a PUT for as long as its URL is signed.
    { ...fields, prefix: stagingPrefix(upload), settledAt: DateTime.max(finalized, expiresAt) },
    { ...fields, prefix: hostedRoot(upload), settledAt: finalized },
    ...elsewhere.map((id) => ({ ...fields, prefix: hostedRoot({ id }), settledAt: now }))
  ]
}
