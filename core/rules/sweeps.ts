/** What goes by itself, and when. */
import { DateTime, Duration } from "effect"
import { AuditEntryId } from "../model/AuditEntry.ts"
import type { DeclaredFile } from "../model/Artifact.ts"
import type { Reservation } from "../model/Reservation.ts"
import { EndedRule, type SweepOrder } from "../model/Sweep.ts"

/**
 * How long after its end something is still there: longer than an upload, a read or a page takes that was begun before, and than
 * the clocks of hosts differ.
 */
export const defaultGrace = Duration.hours(24)

/** How long a share link that ended is still listed, and says that it did. */
export const endedLinkRetention = Duration.days(30)

/** How long a key lives at most that is no longer listed after its end, as those for exchanged tokens are not. */
export const maxUnlistedKeyLife = Duration.hours(1)

/**
 * What ended so long ago that it goes at `now`. An abandoned upload stays for as long as a reservation lives, at least: one that was
 * made before its end may need what was sent to it.
 */
export const endedOrders = (
  now: DateTime.Utc,
  { grace, reservationTtl }: { readonly grace: Duration.Duration; readonly reservationTtl: Duration.Duration }
): ReadonlyArray<SweepOrder> =>
  EndedRule.literals.map((rule) => {
    const atLeast =
      rule === "share_links" ? endedLinkRetention : rule.startsWith("abandoned_") ? reservationTtl : Duration.zero
    return { rule, until: DateTime.subtractDuration(now, Duration.max(grace, atLeast)) }
  })

/**
 * How far the clocks of hosts differ at most. A time that lies further ahead is that of a clock that was wrong, and isn't believed:
 * a job that waited for it would be done by nobody meanwhile. A host whose own clock is behind by more takes the turns of others:
 * then two sweep at once, which is right but twice the rate.
 */
export const maxClockSkew = Duration.hours(1)

/** Whether a job was done less than `pause` ago, so that it need not be done again yet. */
export const isRecentlyDone = (
  doneAt: DateTime.Utc | undefined,
  now: DateTime.Utc,
  pause: Duration.Duration
): boolean =>
  doneAt !== undefined &&
  DateTime.isLessThan(now, DateTime.addDuration(doneAt, pause)) &&
  DateTime.isLessThanOrEqualTo(doneAt, DateTime.addDuration(now, maxClockSkew))

/** The longest time between two sweeps that doesn't look like a clock that was moved. */
const maxSweepGap = Duration.days(1)

/**
 * Whether the time since the last sweep is so long that the clock may have been moved, rather than that no host ran. Then it is
 * worth waiting, before anything goes by it.
 */
export const isClockSuspect = (doneAt: DateTime.Utc | undefined, now: DateTime.Utc): boolean =>
  doneAt !== undefined && DateTime.isGreaterThan(now, DateTime.addDuration(doneAt, maxSweepGap))

/** How many bytes an upload declares. */
export const declaredBytes = (declaration: {
  readonly bundleSizeBytes: number
  readonly files: ReadonlyArray<Pick<DeclaredFile, "sizeBytes">>
  readonly recordings?: ReadonlyArray<Pick<DeclaredFile, "sizeBytes">> | undefined
}): number =>
  [...declaration.files, ...(declaration.recordings ?? [])].reduce(
    (sum, { sizeBytes }) => sum + sizeBytes,
    declaration.bundleSizeBytes
  )

/** A ready build among those of its branch and platform; `rank` counts from 0, the one that was reserved last. */
export interface RankedBuild {
  readonly readyAt: DateTime.Utc
  readonly reservedUntil: DateTime.Utc
  readonly keptAt?: DateTime.Utc | undefined
  readonly rank: number
}

/** Whether a ready build goes by an order. */
export const isBuildDue = (
  { keep, now, until }: Extract<SweepOrder, { readonly rule: "builds" }>,
  { keptAt, rank, readyAt, reservedUntil }: RankedBuild
): boolean =>
  rank > 0 &&
  keptAt === undefined &&
  DateTime.isGreaterThanOrEqualTo(now, reservedUntil) &&
  ((keep !== undefined && rank >= keep) || (until !== undefined && DateTime.isGreaterThanOrEqualTo(until, readyAt)))

/** Of entries of the audit log, those that were made before an instant have an id before this one. */
export const auditIdsUntil = (instant: DateTime.Utc): AuditEntryId => {
  const millis = instant.epochMilliseconds.toString(16).padStart(12, "0")
  return AuditEntryId.make(`${millis.slice(0, 8)}-${millis.slice(8)}-7000-8000-000000000000`)
}

/** The instant at which an id of version 7 was made; `undefined` for another text. */
const madeAt = (id: string): DateTime.Utc | undefined =>
  /^[0-9a-f]{8}-[0-9a-f]{4}-7/u.test(id)
    ? DateTime.makeUnsafe(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16))
    : undefined

/**
 * Whether an object is left over: stored for a reservation that there is not, or beside what was hosted of one that was
 * finalized.
 *
 * What another upload shares stays in any case, see `makeUnsharedFilter`.
 *
 * | its reservation | the object | decided |
 * | --- | --- | --- |
 * | none, its id made at `until` or before | any | it is left over |
 * | none, its id made later, or no id of ours | any | it stays |
 * | not finalized, or finalized later than `until` | any | it stays; it goes with its reservation |
 * | finalized at `until` or before | below its `hostedPrefix` | it stays |
 * | finalized at `until` or before | elsewhere | it is left over |
 */
export const isOrphaned = (
  object: { readonly key: string; readonly reservation: string },
  reservation: Pick<Reservation, "finalizedAt" | "hostedPrefix"> | undefined,
  until: DateTime.Utc
): boolean => {
  if (reservation === undefined) {
    const made = madeAt(object.reservation)
    return made !== undefined && DateTime.isLessThanOrEqualTo(made, until)
  }
  const { finalizedAt, hostedPrefix } = reservation
  if (finalizedAt === undefined || hostedPrefix === undefined) return false
  return DateTime.isLessThanOrEqualTo(finalizedAt, until) && !object.key.startsWith(hostedPrefix)
}

/** How many reservations must be missing before it matters that they are more than those that are there. */
const minForeignReservations = 10

/**
 * Whether so much of a store is of unknown reservations that it is rather the store of another deployment, or the metadata are not
 * those that belong to it. Then nothing of it goes by itself.
 */
export const isForeign = (known: number, missing: number): boolean =>
  missing > known && missing >= minForeignReservations
