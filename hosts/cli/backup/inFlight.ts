import { DateTime, Effect, Stream } from "effect"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import type { Reservation } from "../../../core/model/Reservation.ts"

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
