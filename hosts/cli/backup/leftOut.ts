/**
 * What was deleted while a backup was made, after the moment of its records and before all of its objects were read. The backup
 * names it, and a restore leaves it out, as if the backup had been made a little later.
 */
import { Effect, Schema, Stream } from "effect"
import { BuildId } from "../../../core/model/Build.ts"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { ReservationId } from "../../../core/model/Reservation.ts"

export const LeftOut = Schema.Struct({
  builds: Schema.Array(BuildId),
  previews: Schema.Array(ShareId),
  uploads: Schema.Array(ReservationId)
})
export type LeftOut = typeof LeftOut.Type

export const nothing: LeftOut = { builds: [], previews: [], uploads: [] }

/**
 * What goes with these uploads: a preview with its own, and a build, with all of its uploads, with the one that it shows. An
 * upload that its build no longer shows goes alone.
 */
export const goingWith = <E, R>(missing: ReadonlySet<string>, records: Stream.Stream<MetadataRecord, E, R>) =>
  missing.size === 0
    ? Effect.succeed(nothing)
    : Stream.runFold(
        records,
        () => nothing,
        (all, { kind, value }): LeftOut => {
          if (kind === "build" && missing.has(value.shown)) return { ...all, builds: [...all.builds, value.id] }
          if (kind === "reservation" && (missing.has(value.id) || all.builds.includes(value.buildId))) {
            return { ...all, uploads: [...all.uploads, value.id] }
          }
          if (kind !== "preview" || !missing.has(value.id)) return all
          return { ...all, uploads: [...all.uploads, value.id], previews: [...all.previews, value.shareId] }
        }
      )

/** The upload whose object has this key. */
const uploadOf = (key: string): string => key.split("/")[1] ?? ""

/** Tells what of a backup is not left out. */
export const keptOf = ({ builds, previews, uploads }: LeftOut) => {
  const gone = new Set<string>([...builds, ...previews, ...uploads])
  const object = (key: string): boolean => !gone.has(uploadOf(key))
  const record = ({ kind, value }: MetadataRecord): boolean => {
    if (kind === "build" || kind === "reservation" || kind === "preview") return !gone.has(value.id)
    if (kind === "hostedObject") return object(value.objectKey)
    return kind !== "shareLink" || !("preview" in value.shared) || !gone.has(value.shared.preview)
  }
  return { object, record }
}

/** A line for each build and preview that is left out. */
export const leftOutLines = ({ builds, previews }: LeftOut): ReadonlyArray<string> =>
  [...builds.map((id) => `build ${id}`), ...previews.map((id) => `preview ${id}`)].map(
    (what) => `left out: the ${what}, which was deleted while the backup was made`
  )
