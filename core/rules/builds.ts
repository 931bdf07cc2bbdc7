/**
 * The life of a build.
 *
 * | state | trigger | condition | next state |
 * | --- | --- | --- | --- |
 * | none | reserve | the repository is the account's | uploading |
 * | uploading, expired | reserve | the same identity | uploading, showing the new declaration |
 * | uploading | time | no reservation alive any more | expired |
 * | uploading | finalize | see `decideFinalize`; every object verified | ready |
 * | ready | reserve | the same identity | ready, unchanged to see |
 * | ready | finalize | as above | ready, the same identity updated |
 * | ready | time | | ready |
 *
 * No row leads away from ready, and none changes a build's id.
 *
 * @see docs/interface.md#3
 */
import { DateTime } from "effect"
import { withoutUndefined } from "../model/withoutUndefined.ts"
import type { Build, BuildId, BuildIdentity, BuildReservation, BuildStatus } from "../model/Build.ts"
import type { Repository } from "../model/Repository.ts"
import type { ReservationId } from "../model/Reservation.ts"
import { onVerified, type Finalizing } from "./reservations.ts"
import { billedTestRun, type Preview, type PreviewStatus } from "../model/Preview.ts"

/** Commit hashes are the same in upper and lower case. */
export const normalizeIdentity = (identity: BuildIdentity): BuildIdentity => ({
  branch: identity.branch,
  platform: identity.platform,
  commitSha: identity.commitSha.toLowerCase(),
  ...withoutUndefined({ app: identity.app })
})

const later = (a: DateTime.Utc, b: DateTime.Utc): DateTime.Utc => (DateTime.isGreaterThan(a, b) ? a : b)

/**
 * When a new reservation of a build ends. Never before an earlier one of the same build (whose life may have been
 * longer by an older setting), so the build's last reservation is also the last to end.
 */
export const reservationEnd = (build: Build | undefined, proposed: DateTime.Utc): DateTime.Utc =>
  build === undefined ? proposed : later(build.reservedUntil, proposed)

/** A reservation was made: the next state of the build. `id` names a build that does not exist yet. */
export const onReserve = (
  build: Build | undefined,
  event: {
    readonly id: BuildId
    readonly repository: Repository
    readonly identity: BuildIdentity
    readonly reservation: BuildReservation
  }
): Build => {
  const { reservation } = event
  if (build === undefined) {
    return {
      id: event.id,
      accountId: event.repository.accountId,
      repositoryId: event.repository.id,
      ...normalizeIdentity(event.identity),
      createdAt: reservation.reservedAt,
      currentUpload: reservation.id,
      reservedBy: reservation.id,
      reservedUntil: reservation.expiresAt,
      version: 1
    }
  }
  return {
    ...build,
    currentUpload: build.readyAt === undefined ? reservation.id : build.currentUpload,
    reservedBy: lastReserved(build.reservedBy, reservation.id),
    reservedUntil: later(build.reservedUntil, reservation.expiresAt),
    version: build.version + 1
  }
}

/** One of the build's reservations was verified at `now`: the next state of both. */
export const onFinalize = (
  build: Build,
  reservation: BuildReservation,
  event: Finalizing
): { readonly build: Build; readonly reservation: BuildReservation } => ({
  build: {
    ...build,
    currentUpload: reservation.id,
    readyAt: build.readyAt ?? event.now,
    readyBy: build.readyBy === undefined ? reservation.id : lastReserved(build.readyBy, reservation.id),
    version: build.version + 1
  },
  reservation: onVerified(reservation, event)
})

const lastReserved = (a: ReservationId, b: ReservationId): ReservationId => (a > b ? a : b)

/** The status of a build at `now`. */
export const buildStatus = (build: Build, now: DateTime.Utc): BuildStatus => {
  if (build.readyAt !== undefined) return "ready"
  return DateTime.isLessThan(now, build.reservedUntil) ? "uploading" : "expired"
}

/**
 * The reservation by which a build takes its place among the builds of its branch at `now`: its last one while that is
 * alive, else the last finalized, else none: an abandoned reservation stops counting when it ends.
 */
const placedBy = (build: Build, now: DateTime.Utc): ReservationId | undefined =>
  DateTime.isLessThan(now, build.reservedUntil) ? build.reservedBy : build.readyBy

/** Of the builds of one branch and platform, of one app or of all, the latest: ready or with a live reservation, and reserved last. */
export const latestBuild = (builds: Iterable<Build>, now: DateTime.Utc): Build | undefined => {
  let latest: { readonly build: Build; readonly by: ReservationId } | undefined
  for (const build of builds) {
    const by = placedBy(build, now)
    if (by !== undefined && (latest === undefined || by > latest.by)) latest = { build, by }
  }
  return latest?.build
}

// The life of a preview. It has one reservation and is made by it.
//
// | state | trigger | condition | next state |
// | --- | --- | --- | --- |
// | none | reserve | a repository that it names is the account's | uploading |
// | uploading | time | its reservation has expired | expired |
// | uploading | finalize | see `decideFinalize`; every object verified | ready |
// | ready | time | | ready |
//
// @see docs/interface.md#3

/** The status of a preview at `now`. */
export const previewStatus = (preview: Preview, now: DateTime.Utc): PreviewStatus => {
  if (preview.finalizedAt !== undefined) return "ready"
  return DateTime.isLessThan(now, preview.expiresAt) ? "uploading" : "expired"
}

/** The preview's objects were verified at `now`: its next state. */
export const onPreviewFinalize = (preview: Preview, event: Finalizing): Preview => onVerified(preview, event)

/** Whether a preview's finalizing counts as a billed test run. */
export const isBilled = (preview: Preview): boolean => preview.declaration.billingKind === billedTestRun
