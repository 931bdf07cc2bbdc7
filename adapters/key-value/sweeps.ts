import { DateTime, Duration, Effect, Option } from "effect"
import type { ApiKey } from "../../core/model/ApiKey.ts"
import type { Build, BuildReservation } from "../../core/model/Build.ts"
import { descriptions } from "../../core/model/MetadataRecord.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { Reservation } from "../../core/model/Reservation.ts"
import type { ExpirySelection } from "../../core/model/Sweep.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { SweepStore, type DuePage } from "../../core/ports/SweepStore.ts"
import { declaredBytes, isBuildDue, maxUnlistedKeyLife } from "../../core/rules/sweeps.ts"
import { rankOf, removeBuild, removePreview, removeReservation, reservationsOf } from "./builds.ts"
import { orLeftOut, type Entry, type Range, type Run, type Transaction } from "./KeyValueStore.ts"
import { accessOf, accountOfRecord, findRecord, type Kind } from "./records.ts"
import { anyUpload, removedUpload, storeObjectDeletions } from "./reservations.ts"
import {
  below,
  builds,
  jobCheckpoints,
  keyOf,
  partsOf,
  previews,
  reservations,
  runs,
  tables,
  timeKey,
  walk
} from "./tables.ts"
import { runLists } from "./testRuns.ts"

/** Something that goes, its uploads, and how it is removed. */
interface Found {
  readonly id: string
  readonly uploads: ReadonlyArray<BuildReservation | Preview>
  readonly remove: () => Promise<void>
}

type Bounds = Omit<Range, "limit" | "reverse">

/** Where a selection finds expired records: the entries to scan, the id that an entry refers to, and the records of that id. */
interface Source {
  readonly bounds: Bounds
  readonly reverse?: boolean
  readonly idOf: (entry: Entry) => string
  readonly find: (tx: Transaction, id: string) => Promise<Found | undefined>
}

const lastPart = ({ key }: Entry): string => partsOf(key).at(-1) ?? ""
const value = (entry: Entry): string => entry.value

const isBy = (at: DateTime.Utc | undefined, until: DateTime.Utc): boolean =>
  at !== undefined && DateTime.isGreaterThanOrEqualTo(until, at)

/** The entries of a list that is ordered by time, up to an instant. */
const upTo = (until: DateTime.Utc, ...list: ReadonlyArray<string>): Bounds => ({
  from: below(...list).from,
  to: below(...list, timeKey(until)).to
})

const wholeBuild = async (tx: Transaction, build: Build): Promise<Found> => ({
  id: build.id,
  uploads: await reservationsOf(tx, build.id),
  remove: () => removeBuild(tx, build)
})

/** Keys for exchanged tokens live for minutes; others stay listed among those of their account. */
const livedShortly = ({ createdAt, expiresAt = createdAt }: ApiKey): boolean =>
  !Duration.isGreaterThan(DateTime.distance(createdAt, expiresAt), maxUnlistedKeyLife)

type RecordSelection = Extract<ExpirySelection, { readonly until: DateTime.Utc }>

const kindOf = (rule: string): Kind | undefined =>
  Object.keys(tables).find((kind): kind is Kind => descriptions[kind as Kind].swept?.rule === rule)

/** Where a rule of one kind of record, without objects, finds the records that ended. */
const recordsOf = (selection: RecordSelection): Source => {
  const kind = kindOf(selection.rule)
  if (kind === undefined) throw new Error(`no record is deleted by the rule ${selection.rule}`)
  const access: ReturnType<typeof accessOf> = accessOf(kind)
  const { swept: { at } = { at: [] } } = descriptions[kind]
  const list = "account" in selection ? access.list(selection.account) : [access.table]
  return {
    bounds: access.isByTime ? upTo(selection.until, ...list) : below(...list),
    idOf: access.idOf,
    find: async (tx, id) => {
      const record = await findRecord(tx, access, id)
      if (record === undefined) return undefined
      const values = new Map<string, unknown>(Object.entries(record))
      const end = at.map((field) => values.get(field)).find((time) => time !== undefined)
      const isDue =
        DateTime.isDateTime(end) &&
        isBy(DateTime.toUtc(end), selection.until) &&
        values.get("keptAt") === undefined &&
        (!("account" in selection) || accountOfRecord(kind, record) === selection.account) &&
        (kind !== "key" || livedShortly(record as ApiKey))
      return isDue
        ? { id, uploads: [], remove: async () => void (await access.remove(tx, record as never)) }
        : undefined
    }
  }
}

const sourceOf = (selection: ExpirySelection): Source => {
  switch (selection.rule) {
    case "abandoned_builds":
      return {
        bounds: below("open"),
        idOf: lastPart,
        find: async (tx, id) => {
          const upload = await reservations.find(tx, id)
          const build = await builds.find(tx, upload?.buildId ?? id)
          // Of several reservations of a build, the last one stands for it.
          const isIt = upload === undefined || build?.reservedBy === id
          const isOver = build?.readyAt === undefined && isBy(build?.reservedUntil, selection.until)
          return build !== undefined && isIt && isOver ? wholeBuild(tx, build) : undefined
        }
      }
    case "abandoned_uploads":
      return {
        bounds: below("open"),
        idOf: lastPart,
        find: async (tx, id) => {
          const upload = await reservations.find(tx, id)
          const build = upload && (await builds.find(tx, upload.buildId))
          if (upload === undefined || build?.readyAt === undefined) return undefined
          if (upload.finalizedAt !== undefined || !isBy(upload.expiresAt, selection.until)) return undefined
          const remove = async () => {
            await removeReservation(tx, upload)
            await builds.put(tx, { ...build, version: build.version + 1 }, build.id)
          }
          return { id, uploads: [upload], remove }
        }
      }
    case "superseded_uploads":
      return {
        bounds: upTo(selection.until, "superseded"),
        idOf: value,
        find: async (tx, id) => {
          const upload = await reservations.find(tx, id)
          const build = upload && (await builds.find(tx, upload.buildId))
          return upload !== undefined && build?.currentUpload !== id && isBy(upload.supersededAt, selection.until)
            ? { id, uploads: [upload], remove: () => removeReservation(tx, upload) }
            : undefined
        }
      }
    case "abandoned_previews":
      return {
        bounds: below("open"),
        idOf: lastPart,
        find: async (tx, id) => {
          const preview = await previews.find(tx, (await tx.get(keyOf("previewReservation", id))) ?? id)
          return preview !== undefined && preview.finalizedAt === undefined && isBy(preview.expiresAt, selection.until)
            ? { id: preview.shareId, uploads: [preview], remove: async () => void (await removePreview(tx, preview)) }
            : undefined
        }
      }
    case "used_tokens":
      return {
        bounds: upTo(selection.until, "usedTokenEnd"),
        idOf: value,
        find: async (tx, id) => {
          const end = await tx.get(keyOf("usedToken", id))
          if (end === undefined || end > timeKey(selection.until)) return undefined
          const remove = async () => {
            await tx.remove(keyOf("usedToken", id))
            await tx.remove(keyOf("usedTokenEnd", end, id))
          }
          return { id, uploads: [], remove }
        }
      }
    case "previews":
      return {
        bounds: below("preview"),
        idOf: lastPart,
        find: async (tx, id) => {
          const preview = await previews.find(tx, id)
          if (preview === undefined || preview.accountId !== selection.account || preview.keptAt !== undefined)
            return undefined
          if (!isBy(preview.finalizedAt, selection.until)) return undefined
          const list = runLists.preview({ accountId: preview.accountId, previewShareId: preview.shareId })
          for await (const entry of walk(tx, { ...below(...list), reverse: false })) {
            if ((await runs.find(tx, entry.value))?.keptAt !== undefined) return undefined
          }
          return { id, uploads: [preview], remove: async () => void (await removePreview(tx, preview)) }
        }
      }
    case "builds":
      return {
        bounds: below("readyBy"),
        reverse: true,
        idOf: value,
        find: async (tx, id) => {
          const build = await builds.find(tx, id)
          if (build?.readyAt === undefined || build.accountId !== selection.account) return undefined
          const rank = await rankOf(tx, build, Math.max(selection.keep ?? 1, 1))
          return isBuildDue(selection, { ...build, readyAt: build.readyAt, rank }) ? wholeBuild(tx, build) : undefined
        }
      }
    default:
      return recordsOf(selection)
  }
}

/** A page of the entries that a selection looks at, and what goes of it. */
const pageOf = async (
  tx: Transaction,
  selection: ExpirySelection,
  after: string | undefined,
  limit: number
): Promise<DuePage> => {
  const { bounds, find, idOf, reverse = false } = sourceOf(selection)
  const behind = after === undefined ? {} : reverse ? { to: after } : { from: `${after}\0` }
  const entries = await tx.list({ ...bounds, ...behind, limit, reverse })
  const items: Array<Found> = []
  for (const entry of entries) {
    const one = await orLeftOut(() => find(tx, idOf(entry)))
    if (one !== undefined) items.push(one)
  }
  const last = entries.length < limit ? undefined : entries.at(-1)
  return {
    due: items.map(({ id, uploads }) => ({
      id,
      reservations: uploads.map(removedUpload),
      sizeBytes: uploads.reduce((sum, { declaration }) => sum + declaredBytes(declaration), 0)
    })),
    ...(last === undefined ? {} : { next: last.key })
  }
}

export const sweepStore = (run: Run) =>
  SweepStore.of({
    earlierTime: Effect.succeed,
    due: (selection, { after, limit }) => run((tx) => pageOf(tx, selection, after, limit)),
    expire: (selection, items) =>
      run(async (tx) => {
        const taken: Array<string> = []
        for (const { id, removals } of items) {
          const item = await sourceOf(selection).find(tx, id)
          if (item === undefined) continue
          await item.remove()
          for (const removal of removals) await storeObjectDeletions(tx, removal.accountId, [removal])
          taken.push(id)
        }
        return taken
      }),
    findReservations: (ids) =>
      run(async (tx) => {
        const uploads: Array<Pick<Reservation, "id" | "finalizedAt" | "hostedPrefix">> = []
        for (const id of ids) {
          const one = await orLeftOut(async () => (await anyUpload(tx, id)) ?? "none")
          if (one === undefined) uploads.push({ id })
          else if (one !== "none") uploads.push(one)
        }
        return uploads
      }),
    acquireLease: ({ holder, job, latest, now, until }) =>
      run(async (tx) => {
        const before = await jobCheckpoints.find(tx, job)
        const end = before?.held?.until
        const isHeld = end !== undefined && DateTime.isLessThan(now, end) && DateTime.isLessThanOrEqualTo(end, latest)
        if (isHeld && before?.held?.by !== holder) return Option.none()
        await jobCheckpoints.put(tx, { ...before, held: { by: holder, until } }, job)
        return Option.some({ ...withoutUndefined({ cursor: before?.cursor, doneAt: before?.doneAt }) })
      }),
    saveCheckpoint: ({ cursor, doneAt, holder, job }) =>
      run(async (tx) => {
        const before = await jobCheckpoints.find(tx, job)
        if (before?.held?.by !== holder) return false
        const { held } = doneAt === undefined ? before : { held: undefined }
        await jobCheckpoints.put(tx, { ...withoutUndefined({ held, cursor, doneAt: doneAt ?? before.doneAt }) }, job)
        return true
      })
  })
