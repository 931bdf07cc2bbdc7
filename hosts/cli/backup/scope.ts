/**
 * What a backup leaves out. What was deleted while it was made, after the moment of its records and before all of its objects were read: the
 * backup names it, and a restore leaves it out, as if the backup had been made a little later. And the bytes of unfinished uploads.
 */
import { Array, DateTime, Effect, Schema, Stream } from "effect"
import { BuildId } from "../../../core/model/Build.ts"
import { ObjectKey } from "../../../core/model/HostedObject.ts"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { type Reservation, ReservationId } from "../../../core/model/Reservation.ts"
import { sharedWithOthers, storedBy } from "../../../core/rules/reservations.ts"

export const LeftOut = Schema.Struct({
  builds: Schema.Array(BuildId),
  previews: Schema.Array(ShareId),
  uploads: Schema.Array(ReservationId),
  /** The objects that an upload stored that is left out, and that another one shares. */
  shared: Schema.optionalKey(Schema.Array(ObjectKey))
})
export type LeftOut = typeof LeftOut.Type

export const nothing: LeftOut = { builds: [], previews: [], uploads: [] }

const going = <E, R>(missing: ReadonlySet<string>, records: Stream.Stream<MetadataRecord, E, R>) =>
  Stream.runFold(
    records,
    () => nothing,
    (all, { kind, value }): LeftOut => {
      if (kind === "build" && missing.has(value.currentUpload)) return { ...all, builds: [...all.builds, value.id] }
      if (kind === "reservation" && (missing.has(value.id) || all.builds.includes(value.buildId))) {
        return { ...all, uploads: [...all.uploads, value.id] }
      }
      if (kind !== "preview" || !missing.has(value.id)) return all
      return { ...all, uploads: [...all.uploads, value.id], previews: [...all.previews, value.shareId] }
    }
  )

/** Of the objects that these uploads stored, those that others share. */
const sharedOf = <E, R>({ uploads }: LeftOut, records: Stream.Stream<MetadataRecord, E, R>) => {
  const leftOut = new Set(uploads)
  const isGone = (key: string) => {
    const id = storedBy(key)
    return id !== undefined && leftOut.has(id)
  }
  return Stream.runFold(
    records,
    (): ReadonlyArray<ObjectKey> => [],
    (all, { kind, value }) =>
      (kind === "reservation" || kind === "preview") && !leftOut.has(value.id)
        ? [...all, ...sharedWithOthers(value).filter(isGone)]
        : all
  )
}

/**
 * What is left out with these uploads: the preview of an upload, and the build that shows it, with all uploads of that
 * build. An upload that its build no longer shows is left out alone. Objects that other uploads share remain.
 */
export const goingWith = Effect.fnUntraced(function* <E, R>(
  missing: ReadonlySet<string>,
  records: Stream.Stream<MetadataRecord, E, R>
) {
  if (missing.size === 0) return nothing
  const leftOut = yield* going(missing, records)
  const shared = Array.dedupe(yield* sharedOf(leftOut, records))
  return shared.length === 0 ? leftOut : { ...leftOut, shared }
})

/** Returns what of a backup is not left out. */
export const keptOf = ({ builds, previews, shared = [], uploads }: LeftOut) => {
  const leftOut = new Set<string>([...builds, ...previews, ...uploads])
  const stays = new Set<string>(shared)
  const object = (key: string): boolean => stays.has(key) || !leftOut.has(storedBy(key) ?? "")
  const record = ({ kind, value }: MetadataRecord): boolean => {
    if (kind === "build" || kind === "reservation" || kind === "preview") return !leftOut.has(value.id)
    if (kind === "hostedObject") return object(value.objectKey)
    return kind !== "shareLink" || !("preview" in value.shared) || !leftOut.has(value.shared.preview)
  }
  return { object, record }
}

/** A line for each build and preview that is left out. */
export const leftOutLines = ({ builds, previews }: LeftOut): ReadonlyArray<string> =>
  [...builds.map((id) => `build ${id}`), ...previews.map((id) => `preview ${id}`)].map(
    (what) => `left out: the ${what}, which was deleted while the backup was made`
  )

const isOpen = ({ expiresAt, finalizedAt }: Reservation, now: DateTime.Utc): boolean =>
  finalizedAt === undefined && DateTime.isGreaterThan(expiresAt, now)

/**
 * The unfinished uploads, one a line. A move leaves out the bytes they have stored so far, but keeps their
 * reservations, so the answer to a finalize names the missing objects.
 */
export const inFlight = Effect.fnUntraced(function* <E, R>(records: Stream.Stream<MetadataRecord, E, R>) {
  const now = yield* DateTime.now
  const until = ({ expiresAt }: Reservation): string => `under way until ${DateTime.formatIso(expiresAt)}`
  const open = yield* Stream.runCollect(
    Stream.filter(
      records,
      (record) => (record.kind === "reservation" || record.kind === "preview") && isOpen(record.value, now)
    )
  )
  const builds = new Set(open.flatMap((record) => (record.kind === "reservation" ? [record.value.buildId] : [])))
  const named = new Map<string, string>()
  const repositories = new Map<string, string>()
  if (builds.size > 0) {
    yield* Stream.runForEach(records, ({ kind, value }) =>
      Effect.sync(() => {
        if (kind === "repository") repositories.set(value.id, `${value.owner}/${value.repo}`)
        if (kind === "build" && builds.has(value.id)) {
          const where = repositories.get(value.repositoryId) ?? value.repositoryId
          named.set(value.id, `build ${where} ${value.branch} ${value.platform} ${value.commitSha}`)
        }
      })
    )
  }
  return open.map(({ kind, value }) => {
    const what =
      kind === "reservation" ? (named.get(value.buildId) ?? "") : kind === "preview" ? `preview ${value.shareId}` : ""
    return `left behind: the upload of ${what}, ${"expiresAt" in value && "reservedAt" in value ? until(value) : ""}`
  })
})
