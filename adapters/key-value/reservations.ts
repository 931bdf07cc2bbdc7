import { DateTime, Option, Schema, Struct } from "effect"
import { QuotaName, type AccountId, type Amounts, type Quotas, type QuotaUsage } from "../../core/model/Account.ts"
import type { BuildReservation } from "../../core/model/Build.ts"
import type { Content, HostedObject, ObjectKey, ObjectDeletion } from "../../core/model/HostedObject.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { RemovedUpload, Reservation } from "../../core/model/Reservation.ts"
import type { TestRun } from "../../core/model/TestRun.ts"
import { UsageStore, type QuotaCheck } from "../../core/ports/UsageStore.ts"
import { amountsOf, countedOf, monthOf, zeroAmounts } from "../../core/rules/limits.ts"
import { declaredObjects, sharedWithOthers, storedBy } from "../../core/rules/reservations.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import {
  apiKeys,
  below,
  hostedObjects,
  keyOf,
  previews,
  quotas,
  removals,
  reservations,
  take,
  timeKey,
  walk
} from "./tables.ts"
import type { AuditEntry } from "../../core/model/AuditEntry.ts"
import type { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { recordEntry } from "./auditLog.ts"
import { post } from "./outbox.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"
import { byCodeUnit } from "../../core/rules/pages.ts"

/** What an upload takes of each quota. */
const amountsOfUpload = (upload: BuildReservation | Preview): Amounts => ({
  ...amountsOf(declaredObjects(upload.declaration)),
  previewsPerMonth: "shareId" in upload ? 1 : 0
})

const sum = (some: ReadonlyArray<Amounts>): Amounts => {
  const total = { ...zeroAmounts }
  for (const amounts of some) for (const name of QuotaName.literals) total[name] += amounts[name]
  return total
}

/** Stored bytes are counted for all time, and everything else by the month. */
const counterKey = (account: AccountId, name: QuotaName, month: string): string =>
  name === "bytesStored" ? keyOf("stored", account) : keyOf("used", account, month, name)

const counted = async (tx: Transaction, account: AccountId, name: QuotaName, month: string): Promise<number> =>
  Number((await tx.get(counterKey(account, name, month))) ?? 0)

const add = async (tx: Transaction, account: AccountId, month: string, amounts: Partial<Amounts>): Promise<void> => {
  for (const name of QuotaName.literals) {
    const more = amounts[name] ?? 0
    if (more !== 0)
      await tx.set(counterKey(account, name, month), String((await counted(tx, account, name, month)) + more))
  }
}

/** Counts an upload as it is finalized. */
const countFinalized = (tx: Transaction, upload: BuildReservation | Preview, at: DateTime.Utc): Promise<void> => {
  const { storedBytes, uploadedBytes } = countedOf(upload)
  return add(tx, upload.accountId, monthOf(at), {
    ...amountsOfUpload(upload),
    bytesStored: storedBytes - (upload.metadataBytes ?? 0),
    bytesPerMonth: uploadedBytes
  })
}

/** Counts an object that uploads share as it is stored, or takes it from what its account keeps. */
const countHosted = (tx: Transaction, hosted: HostedObject, sign: 1 | -1): Promise<void> =>
  add(tx, hosted.accountId, "", { bytesStored: sign * hosted.sizeBytes })

/** Counts the metadata of an upload or a run as it is stored, or takes it from what its account keeps. */
export const countMetadata = (
  tx: Transaction,
  { accountId, metadataBytes = 0 }: Pick<Reservation, "accountId" | "metadataBytes">,
  sign: 1 | -1
): Promise<void> => add(tx, accountId, "", { bytesStored: sign * metadataBytes })

/** Subtracts an upload that is deleted from what its account keeps. */
const countDeleted = (tx: Transaction, upload: BuildReservation | Preview): Promise<void> =>
  add(tx, upload.accountId, "", { bytesStored: -countedOf(upload).storedBytes })

/** Counts a run as it is registered. */
export const countRun = async (tx: Transaction, run: TestRun): Promise<void> => {
  await countMetadata(tx, run, 1)
  await add(tx, run.accountId, monthOf(run.createdAt), { runsPerMonth: 1 })
}

/** The account's own quotas. */
const ownQuotas = async (tx: Transaction, account: AccountId): Promise<Quotas> =>
  Struct.omit((await quotas.find(tx, account)) ?? { accountId: account }, ["accountId"])

const usage = async (tx: Transaction, account: AccountId, month: string, now: DateTime.Utc): Promise<QuotaUsage> => {
  const range = { from: below("open", account, timeKey(now)).to, to: below("open", account).to, reverse: false }
  const open = await take(Infinity, walk(tx, range), async ({ key }) => {
    const id = key.slice(key.lastIndexOf("/") + 1)
    const shareId = await tx.get(keyOf("previewReservation", id))
    return shareId === undefined ? reservations.find(tx, id) : previews.find(tx, shareId)
  })
  const used = { ...zeroAmounts }
  for (const name of QuotaName.literals) used[name] = await counted(tx, account, name, month)
  return {
    used,
    reserved: sum(open.map(amountsOfUpload)),
    own: await ownQuotas(tx, account)
  }
}

/** Whether a commit stays within an account's quotas. */
export const isWithin = async (
  tx: Transaction,
  account: AccountId,
  now: DateTime.Utc,
  within: QuotaCheck | undefined
): Promise<boolean> => {
  if (within === undefined) return true
  const { reserved, used } = await usage(tx, account, within.month, now)
  return QuotaName.literals.every((name) => {
    const limit = within.quotas[name]
    const asked = within.requested[name]
    return limit === undefined || asked === 0 || used[name] + reserved[name] + asked <= limit
  })
}

export const usageStore = (run: Run) =>
  UsageStore.of({
    find: (account, month, now) => run((tx) => usage(tx, account, month, now)),
    setQuotas: (own) => run((tx) => quotas.put(tx, own, own.accountId))
  })

const openKey = ({ accountId, expiresAt, id }: Reservation): string => keyOf("open", accountId, timeKey(expiresAt), id)

const uploadKey = ({ accountId, id }: Reservation): string => keyOf("uploadsOf", accountId, id)

/** Lists a new upload among the account's, and among its open or finalized ones, and counts it. */
export const listUpload = async (tx: Transaction, upload: BuildReservation | Preview): Promise<void> => {
  await countMetadata(tx, upload, 1)
  await tx.set(uploadKey(upload), upload.id)
  if (upload.finalizedAt === undefined) await tx.set(openKey(upload), DateTime.formatIso(upload.expiresAt))
  else await listFinalized(tx, upload, upload.finalizedAt)
}

/** Counts a finalized upload, and lists what it shares. */
const listFinalized = async (tx: Transaction, upload: BuildReservation | Preview, at: DateTime.Utc): Promise<void> => {
  await countFinalized(tx, upload, at)
  for (const key of shares(upload)) await tx.set(keyOf(...sharingParts(key), upload.id), upload.id)
}

/** Takes an upload that is deleted from all lists and counts. */
export const unlistUpload = async (tx: Transaction, upload: BuildReservation | Preview): Promise<void> => {
  await tx.remove(uploadKey(upload))
  await unlistOpen(tx, upload)
  await countDeleted(tx, upload)
  for (const key of shares(upload)) await tx.remove(keyOf(...sharingParts(key), upload.id))
}

/** Takes a finalized reservation from the account's open ones. */
const unlistOpen = (tx: Transaction, reservation: Reservation): Promise<void> => tx.remove(openKey(reservation))

/** When the account's open reservations end, the first `limit` of them. */
const openEnds = (
  tx: Transaction,
  account: AccountId,
  now: DateTime.Utc,
  limit: number
): Promise<ReadonlyArray<DateTime.Utc>> =>
  take(
    limit,
    // Those that end at this very instant are over.
    walk(tx, { from: below("open", account, timeKey(now)).to, to: below("open", account).to, reverse: false }),
    async ({ value }) => DateTime.makeUnsafe(value)
  )

/** Whether a commit may store another reservation of the account. */
export const hasRoom = async (
  tx: Transaction,
  { accountId, reservedAt }: Reservation,
  { openBelow, within }: { readonly openBelow?: number | undefined; readonly within?: QuotaCheck | undefined }
): Promise<boolean> =>
  (openBelow === undefined || (await openEnds(tx, accountId, reservedAt, openBelow)).length < openBelow) &&
  isWithin(tx, accountId, reservedAt, within)

/** The preview with that reservation. */
const previewOf = async (tx: Transaction, id: string): Promise<Preview | undefined> => {
  const shareId = await tx.get(keyOf("previewReservation", id))
  return shareId === undefined ? undefined : previews.find(tx, shareId)
}

/** The reservation of a build, or the preview with it. */
export const anyUpload = async (tx: Transaction, id: string): Promise<BuildReservation | Preview | undefined> =>
  (await reservations.find(tx, id)) ?? (await previewOf(tx, id))

/** What is known of an upload that is deleted. */
export const removedUpload = ({ accountId, expiresAt, id, stored }: Reservation): RemovedUpload => ({
  id,
  accountId,
  expiresAt,
  ...withoutUndefined({ stored })
})

const contentKey = (account: AccountId, { contentHash, sizeBytes }: Content): ReadonlyArray<string> => [
  account,
  contentHash,
  String(sizeBytes)
]

const decodeContent = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.String)))

const withMore = <R extends Reservation>(reservation: R, bytes: number): R => ({
  ...reservation,
  decompressedBytes: (reservation.decompressedBytes ?? 0) + bytes
})

/** The parts of the key under which a hosted object is listed by its own key, or all below a prefix that ends with a slash. */
const hostedParts = (objectKey: string): ReadonlyArray<string> => [
  "hostedAt",
  ...objectKey.replace(/\/$/, "").split("/")
]

const hostedAt = ({ accountId, objectKey }: HostedObject): string => keyOf(...hostedParts(objectKey), "", accountId)

const unlistHosted = (tx: Transaction, hosted: HostedObject): Promise<void> => tx.remove(hostedAt(hosted))

/** The key under which it is listed that an upload has an object that another one, or it itself under another name, stored. */
const sharingParts = (objectKey: string): ReadonlyArray<string> => ["shares", ...objectKey.split("/")]

const shares = ({ stored }: Pick<Reservation, "stored">) => new Set(Object.values(stored?.shared ?? {}))

const isShared = async (tx: Transaction, objectKey: string): Promise<boolean> =>
  (await tx.list({ ...below(...sharingParts(objectKey)), limit: 1, reverse: false })).length > 0

const isHosted = async (tx: Transaction, objectKey: string): Promise<boolean> =>
  (await tx.list({ ...below(...hostedParts(objectKey), ""), limit: 1, reverse: false })).length > 0

/** What a finalize is to keep of an upload's objects. */
interface Contents {
  readonly hosted?: ReadonlyArray<HostedObject> | undefined
  readonly lost?: ReadonlyArray<ObjectKey> | undefined
}

/** Whether what an upload shares is hosted still, and what it is to host isn't hosted yet. */
const canHost = async (
  tx: Transaction,
  upload: Pick<Reservation, "id" | "stored">,
  { hosted = [], lost = [] }: Contents
): Promise<boolean> => {
  for (const key of sharedWithOthers(upload)) if (!(await isHosted(tx, key))) return false
  for (const one of hosted) {
    const before = await hostedObjects.find(tx, ...contentKey(one.accountId, one))
    if (before !== undefined && !lost.includes(before.objectKey)) return false
  }
  return true
}

/** Keeps what was finalized by its content. */
export const storeHosted = async (tx: Transaction, hosted: ReadonlyArray<HostedObject> = []): Promise<void> => {
  for (const one of hosted) {
    const content = contentKey(one.accountId, one)
    const before = await hostedObjects.find(tx, ...content)
    if (before === undefined) await countHosted(tx, one, 1)
    else await unlistHosted(tx, before)
    await hostedObjects.put(tx, one, ...content)
    await tx.set(hostedAt(one), JSON.stringify(content))
  }
}

/** What the commit of a finalize changes beside the upload. */
interface Finalize extends Contents {
  readonly event?: SlipwayEvent | undefined
  readonly entry?: AuditEntry | undefined
}

/**
 * Hosts a stored upload as it was finalized, with what its commit changes too: what is stored of it then. `undefined` if it is
 * finalized already, or not all of it can be hosted.
 */
export const hostUpload = async <Upload extends BuildReservation | Preview>(
  tx: Transaction,
  stored: Upload | undefined,
  { digests, finalizedAt, hostedPrefix, stored: how }: Upload,
  { entry, event, hosted, lost }: Finalize
): Promise<(Upload & { readonly finalizedAt: DateTime.Utc }) | undefined> => {
  if (finalizedAt === undefined || hostedPrefix === undefined) throw new Error("an upload that is not finalized")
  if (stored === undefined || stored.finalizedAt !== undefined) return undefined
  const after = { ...stored, finalizedAt, hostedPrefix, ...withoutUndefined({ digests, stored: how }) }
  if (!(await canHost(tx, after, { hosted, lost }))) return undefined
  await unlistOpen(tx, stored)
  await listFinalized(tx, after, finalizedAt)
  await storeHosted(tx, hosted)
  await post(tx, event)
  await recordEntry(tx, entry)
  return after
}

/** Forgets that an object is hosted. */
export const removeHosted = async (tx: Transaction, hosted: HostedObject): Promise<void> => {
  await countHosted(tx, hosted, -1)
  await unlistHosted(tx, hosted)
  await hostedObjects.remove(tx, ...contentKey(hosted.accountId, hosted))
}

/** Forgets what an account has hosted below a prefix, unless the upload that stored it is there, or one that shares it. */
const deleteHosted = async (tx: Transaction, account: AccountId, prefix: string): Promise<void> => {
  const storing = storedBy(prefix)
  if (storing === undefined || (await anyUpload(tx, storing)) !== undefined) return
  const listed = walk(tx, { ...below(...hostedParts(prefix)), reverse: false })
  const found = await take(Infinity, listed, ({ value }) => hostedObjects.find(tx, ...decodeContent(value)))
  for (const one of found) {
    if (one.accountId === account && !(await isShared(tx, one.objectKey))) await removeHosted(tx, one)
  }
}

/** Whether an upload shares an object, or still can. */
const isReferenced = async (tx: Transaction, objectKey: string): Promise<boolean> =>
  (await isShared(tx, objectKey)) || isHosted(tx, objectKey)

const hostedAmong = async (
  tx: Transaction,
  account: AccountId,
  contents: ReadonlyArray<Content>
): Promise<ReadonlyArray<HostedObject>> => {
  const found: Array<HostedObject> = []
  for (const content of contents) {
    const one = await hostedObjects.find(tx, ...contentKey(account, content))
    if (one !== undefined) found.push(one)
  }
  return found
}

export const reservationStore = (run: Run) =>
  ReservationStore.of({
    countOpen: (account, now, atMost) =>
      run(async (tx) => {
        const ends = await openEnds(tx, account, now, Math.max(atMost, 1))
        return { count: Math.min(ends.length, atMost), firstEnd: Option.fromUndefinedOr(ends[0]) }
      }),
    findForPut: (id) =>
      run(async (tx) => {
        const reservation = await anyUpload(tx, id)
        if (reservation === undefined) return Option.none()
        const { keyId } = reservation
        const key = keyId === undefined ? undefined : await apiKeys.find(tx, keyId)
        return Option.some({ reservation, key: Option.fromUndefinedOr(key) })
      }),
    addDecompressed: (id, bytes) =>
      run(async (tx) => {
        const ofBuild = await reservations.find(tx, id)
        if (ofBuild !== undefined) await reservations.put(tx, withMore(ofBuild, bytes), id)
        const preview = await previewOf(tx, id)
        if (preview !== undefined) await previews.put(tx, withMore(preview, bytes), preview.shareId)
      }),
    findHosted: (account, contents) => run((tx) => hostedAmong(tx, account, contents)),
    findForReserve: (account, contents) =>
      run(async (tx) => ({
        own: await ownQuotas(tx, account),
        hosted: await hostedAmong(tx, account, contents)
      }))
  })

const dueKey = ({ dueAt, id }: ObjectDeletion): string => keyOf("removalsDue", timeKey(dueAt), id)

/** Stores a removal. */
export const putObjectDeletion = async (tx: Transaction, removal: ObjectDeletion): Promise<void> => {
  await removals.put(tx, removal, removal.id)
  await tx.set(dueKey(removal), removal.id)
}

const postpone = async (
  tx: Transaction,
  before: ObjectDeletion,
  dueAt: ObjectDeletion["dueAt"]
): Promise<ObjectDeletion> => {
  const after = { ...before, dueAt }
  await tx.remove(dueKey(before))
  await putObjectDeletion(tx, after)
  return after
}

/** Stores removals. Later uploads of the account no longer share the objects below their prefixes. */
export const storeObjectDeletions = async (
  tx: Transaction,
  account: AccountId,
  added: ReadonlyArray<ObjectDeletion>
): Promise<void> => {
  for (const removal of added) {
    await deleteHosted(tx, account, removal.prefix)
    await putObjectDeletion(tx, removal)
  }
}

export const objectDeletionStore = (run: Run) =>
  ObjectDeletionStore.of({
    claim: ({ limit, now, until }) =>
      run(async (tx) => {
        const due = { from: below("removalsDue").from, to: below("removalsDue", timeKey(now)).to, reverse: false }
        const found = await take(limit, walk(tx, due), ({ value }) => removals.find(tx, value))
        const taken: Array<ObjectDeletion> = []
        for (const removal of found) taken.push(await postpone(tx, removal, until))
        return taken.toSorted((a, b) => byCodeUnit(a.id, b.id))
      }),
    postpone: (ids, dueAt) =>
      run(async (tx) => {
        for (const id of ids) {
          const removal = await removals.find(tx, id)
          if (removal !== undefined) await postpone(tx, removal, dueAt)
        }
      }),
    complete: (ids) =>
      run(async (tx) => {
        for (const id of ids) {
          const removal = await removals.find(tx, id)
          if (removal === undefined) continue
          await tx.remove(dueKey(removal))
          await removals.remove(tx, id)
        }
      }),
    findShared: (keys) =>
      run(async (tx) => {
        const held: Array<string> = []
        for (const key of keys) if (await isReferenced(tx, key)) held.push(key)
        return held
      }),
    list: ({ after, limit }) =>
      run((tx) => {
        const { from, to } = below("removal")
        const bounds = { from: after === undefined ? from : `${keyOf("removal", after)}\0`, to, reverse: false }
        return take(limit, walk(tx, bounds), ({ key }) =>
          removals.find(tx, decodeURIComponent(key.slice(key.lastIndexOf("/") + 1)))
        )
      })
  })
