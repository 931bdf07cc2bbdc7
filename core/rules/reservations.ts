/**
 * What builds and previews decide alike about an upload: what it expects, where that lies, and who may finalize it.
 */
import { DateTime, Result } from "effect"
import type { AccountId } from "../model/Account.ts"
import type { DeclaredFile, DeclaredObject } from "../model/Artifact.ts"
import { NotFound, ReservationExpired } from "../model/Problem.ts"
import type { Reservation } from "../model/Reservation.ts"

/** The key prefix below which a reservation's uploads arrive. Every presigned PUT URL writes below one of these. */
export const stagingPrefix = (reservation: Pick<Reservation, "id">): string => `uploads/${reservation.id}/`

/**
 * The key prefix below which one attempt to finalize gathers what it verifies. No PUT URL was ever signed for it, and
 * two attempts never share it.
 */
export const hostedPrefix = (reservation: Pick<Reservation, "id">, attempt: string): string =>
  `hosted/${reservation.id}/${attempt}/`

/** The objects that a declaration of a bundle with files expects, the bundle first. */
export const declaredObjects = (declaration: {
  readonly bundleSizeBytes: number
  readonly bundleContentType: string
  readonly contentHash: string
  readonly files: ReadonlyArray<DeclaredFile>
}): ReadonlyArray<DeclaredObject> => [
  {
    name: "bundle",
    sizeBytes: declaration.bundleSizeBytes,
    contentType: declaration.bundleContentType,
    contentHash: declaration.contentHash
  },
  ...declaration.files.map((file, index) => ({ name: `files/${index}`, ...file }))
]

/** What a finalize should do: answer again what it answered before, or verify what arrived. */
export type FinalizeStep = "answer-again" | "verify"

/**
 * | reservation | finalizing account | step |
 * | --- | --- | --- |
 * | unknown | any | `NotFound` |
 * | any | not the reserving one | `NotFound` |
 * | finalized, alive or not | the reserving one | `answer-again` |
 * | open and alive | the reserving one | `verify` |
 * | open, its life over | the reserving one | `ReservationExpired` |
 *
 * @see interface §3, §5
 */
export const decideFinalize = (
  reservation: Reservation | undefined,
  by: AccountId,
  now: DateTime.Utc
): Result.Result<FinalizeStep, NotFound | ReservationExpired> => {
  if (reservation === undefined || reservation.accountId !== by) return Result.fail(NotFound.answer)
  if (reservation.finalizedAt !== undefined) return Result.succeed("answer-again")
  return DateTime.isLessThan(now, reservation.expiresAt)
    ? Result.succeed("verify")
    : Result.fail(
        new ReservationExpired({
          detail: `This reservation ended at ${DateTime.formatIso(reservation.expiresAt)}; reserve again.`
        })
      )
}
