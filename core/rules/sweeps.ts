/** What expires, when, and which stored objects are garbage. */
import { DateTime, Duration } from "effect"
import { AuditEntryId } from "../model/AuditEntry.ts"
import type { DeclaredFile } from "../model/Artifact.ts"
import type { Reservation } from "../model/Reservation.ts"
import type { EndedRule, ExpirySelection, RetentionSelection } from "../model/Sweep.ts"
import type { AccountId, RetentionPeriod, RetentionRules } from "../model/Account.ts"
import { erasedKinds, type ErasedCounts } from "../model/MetadataRecord.ts"

/**
 * How long a record stays after its end: longer than an upload, a read or a page that began before takes, and longer than the
 * clock skew between hosts.
 */
export const defaultGrace = Duration.hours(24)

/** How long a share link or a quarantine is still listed, as ended, after its end. */
const endedLinkRetention = Duration.days(30)

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
    rule === "share_links" || rule === "quarantines"
      ? endedLinkRetention
      : rule.startsWith("abandoned_")
        ? reservationTtl
        : Duration.zero
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
interface RankedBuild {
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
    const reservedAt = madeAt(object.reservation)
    return reservedAt !== undefined && DateTime.isLessThanOrEqualTo(reservedAt, until)
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

// How long builds, previews, runs, histories and billing records are kept: which rules are valid together, and what they expire.
//
// Nothing expires without a rule. Each rule of an account overrides the deployment's rule of the same name.

/** An invalid rule, and why. */
interface RuleRefused {
  readonly rule: keyof RetentionRules
  readonly message: string
}

/** Usage is counted by month, so billing records of the current and the previous month stay. */
const shortestBilled = Duration.days(62)

const lengthOf = (kept: RetentionPeriod | undefined): Duration.Duration =>
  kept === undefined || kept === "forever" ? Duration.infinity : kept

/** The rules that hold for an account. */
export const rulesFor = (deployment: RetentionRules, account: RetentionRules = {}): RetentionRules => ({
  ...deployment,
  ...account
})

/**
 * Why rules are invalid together, if they are. Nothing is kept for less time than a reservation lives; a branch keeps at least one
 * build; a run isn't kept for longer than its preview, which it shows.
 */
export const refuseRules = (rules: RetentionRules, reservationTtl: Duration.Duration): RuleRefused | undefined => {
  const shortest = Duration.max(reservationTtl, Duration.hours(1))
  for (const rule of ["previews", "runs", "histories", "builds"] as const) {
    if (Duration.isLessThan(lengthOf(rules[rule]), shortest)) {
      const message = `must be ${Duration.format(shortest)} or longer, which is as long as an upload may take, or forever`
      return { rule, message }
    }
  }
  if (Duration.isLessThan(lengthOf(rules.billed), shortestBilled)) {
    const message = `must be ${Duration.format(shortestBilled)} or longer, as usage counts whole months, or forever`
    return { rule: "billed", message }
  }
  const { buildsPerBranch = "all" } = rules
  if (buildsPerBranch !== "all" && !(Number.isInteger(buildsPerBranch) && buildsPerBranch >= 1)) {
    return { rule: "buildsPerBranch", message: "must be a whole number, 1 or more, as the latest build stays, or all" }
  }
  const [runs, previews] = [lengthOf(rules.runs), lengthOf(rules.previews)]
  return Duration.isGreaterThan(runs, previews) && rules.runs !== undefined
    ? {
        rule: "runs",
        message: `must not be longer than previews are kept (${Duration.format(previews)}), which runs show`
      }
    : undefined
}

/**
 * Selects what expires of an account at `now`. If the rules of the account and of the deployment contradict each other after a
 * change, more is kept: a preview for as long as runs.
 */
export const selectionsOf = (
  account: AccountId,
  rules: RetentionRules,
  now: DateTime.Utc
): ReadonlyArray<RetentionSelection> => {
  const before = (kept: Duration.Duration): DateTime.Utc | undefined =>
    Duration.isFinite(kept) ? DateTime.subtractDuration(now, kept) : undefined
  const aged = {
    runs: before(lengthOf(rules.runs)),
    previews: before(
      rules.runs === undefined ? lengthOf(rules.previews) : Duration.max(lengthOf(rules.previews), lengthOf(rules.runs))
    ),
    histories: before(lengthOf(rules.histories)),
    ci_runs: before(lengthOf(rules.histories)),
    billed: before(lengthOf(rules.billed))
  }
  const until = before(lengthOf(rules.builds))
  const keep = rules.buildsPerBranch === "all" ? undefined : rules.buildsPerBranch
  return [
    ...(["runs", "previews", "histories", "ci_runs", "billed"] as const).flatMap((rule) => {
      const at = aged[rule]
      return at === undefined ? [] : [{ rule, account, until: at }]
    }),
    ...(until === undefined && keep === undefined ? [] : [{ rule: "builds" as const, account, now, until, keep }])
  ]
}

/** The sum of the counts of two steps. */
export const addErasedCounts = (one: ErasedCounts, other: ErasedCounts): ErasedCounts =>
  Object.fromEntries(
    erasedKinds.flatMap((kind) => {
      const sum = (one[kind] ?? 0) + (other[kind] ?? 0)
      return sum === 0 ? [] : [[kind, sum]]
    })
  )

/** The counts as text: `3 builds, 12 objects`. */
export const erasedCountsText = (gone: ErasedCounts): string =>
  erasedKinds
    .flatMap((kind) => {
      const count = gone[kind]
      const words = kind.replaceAll(/[A-Z]/gu, (letter) => ` ${letter.toLowerCase()}`)
      return count === undefined ? [] : [`${count} ${words}`]
    })
    .join(", ")

/** The objects that an upload hosts, and the bytes that it declared: none when it was never finalized. */
export const hostedBy = (
  finalizedAt: Reservation["finalizedAt"] | undefined,
  declaration: Parameters<typeof declaredBytes>[0]
): { readonly objects: number; readonly bytes: number } =>
  finalizedAt === undefined
    ? { objects: 0, bytes: 0 }
    : {
        objects: 1 + declaration.files.length + (declaration.recordings?.length ?? 0),
        bytes: declaredBytes(declaration)
      }
