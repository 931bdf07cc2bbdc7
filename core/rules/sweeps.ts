/** What expires, when, and which stored objects are garbage. */
import { DateTime, Duration } from "effect"
import { AuditEntryId } from "../model/AuditEntry.ts"
import type { DeclaredFile } from "../model/Artifact.ts"
import type { Reservation } from "../model/Reservation.ts"
import type { EndedRule, ExpirySelection } from "../model/Sweep.ts"

/**
 * How long a record stays after its end: longer than an upload, a read or a page that began before takes, and longer than the
 * clock skew between hosts.
 */
export const defaultGrace = Duration.hours(24)

/** How long a share link is still listed, as ended, after its end. */
export const endedLinkRetention = Duration.days(30)

/** The longest life of a key that isn't listed after its end, such as a key for an exchanged token. */
export const maxUnlistedKeyLife = Duration.hours(1)

/** Whether what a rule deletes may have objects. */
export const hasObjects = (rule: ExpirySelection["rule"]): boolean =>
  ["abandoned_builds", "abandoned_uploads", "superseded_uploads", "abandoned_previews", "previews", "builds"].includes(
    rule
  )

/**
 * Selects what ended so long ago that it expires at `now`. An abandoned upload stays at least as long as a reservation lives, because
 * a reservation made before its end may reuse its content.
 */
export const endedSelection = (
  rule: EndedRule,
  now: DateTime.Utc,
  { grace, reservationTtl }: { readonly grace: Duration.Duration; readonly reservationTtl: Duration.Duration }
): ExpirySelection => {
  const atLeast =
    rule === "share_links" ? endedLinkRetention : rule.startsWith("abandoned_") ? reservationTtl : Duration.zero
  return { rule, until: DateTime.subtractDuration(now, Duration.max(grace, atLeast)) }
}

/**
 * The largest accepted clock skew between hosts. A stored time further ahead came from a wrong clock and is ignored, so that a job
 * doesn't wait for it. A host whose clock is behind by more takes over leases early: then two hosts sweep at once, which is
 * correct but twice the rate.
 */
export const maxClockSkew = Duration.hours(1)

/** Whether a job was done less than `interval` ago, so that it need not run yet. */
export const isRecentlyDone = (
  doneAt: DateTime.Utc | undefined,
  now: DateTime.Utc,
  interval: Duration.Duration
): boolean =>
  doneAt !== undefined &&
  DateTime.isLessThan(now, DateTime.addDuration(doneAt, interval)) &&
  DateTime.isLessThanOrEqualTo(doneAt, DateTime.addDuration(now, maxClockSkew))

/** How long after its interval a job may run before its lateness looks like a moved clock. */
const maxSweepGap = Duration.days(1)

/**
 * Whether a job is so late that the clock may have been moved, rather than that no host ran. Then a host waits before it deletes
 * anything by that clock.
 */
export const isClockSuspect = (lastAt: DateTime.Utc, now: DateTime.Utc, interval: Duration.Duration): boolean =>
  DateTime.isGreaterThan(now, DateTime.addDuration(lastAt, Duration.sum(interval, maxSweepGap)))

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

/** A ready build among those of its branch, platform and app; `rank` counts from 0, the one that was reserved last. */
export interface RankedBuild {
  readonly readyAt: DateTime.Utc
  readonly reservedUntil: DateTime.Utc
  readonly keptAt?: DateTime.Utc | undefined
  readonly rank: number
}

/** Whether a selection expires a ready build. */
export const isBuildDue = (
  { keep, now, until }: Extract<ExpirySelection, { readonly rule: "builds" }>,
  { keptAt, rank, readyAt, reservedUntil }: RankedBuild
): boolean =>
  rank > 0 &&
  keptAt === undefined &&
  DateTime.isGreaterThanOrEqualTo(now, reservedUntil) &&
  ((keep !== undefined && rank >= keep) || (until !== undefined && DateTime.isGreaterThanOrEqualTo(until, readyAt)))

/** An id that is greater than those of all audit log entries made before an instant. */
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
 * Whether an object is orphaned: its reservation doesn't exist, or it was finalized and this object isn't below its prefix.
 * Objects that another upload shares are kept in any case, see `makeUnsharedFilter`.
 *
 * | reservation | object | orphaned |
 * | --- | --- | --- |
 * | none; its id was made at `until` or before | any | yes |
 * | none; its id was made later, or isn't one of ours | any | no |
 * | not finalized, or finalized after `until` | any | no: deleted with its reservation |
 * | finalized at `until` or before | below its `hostedPrefix` | no |
 * | finalized at `until` or before | elsewhere | yes |
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

/** The least number of missing reservations that makes an object store foreign. */
const minForeignReservations = 10

/**
 * Whether most reservations of an object store are missing, so that it rather belongs to another deployment, or the metadata aren't
 * those of this object store. Then its unknown objects are kept.
 */
export const isForeign = (known: number, missing: number): boolean =>
  missing > known && missing >= minForeignReservations
