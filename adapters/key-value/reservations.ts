import { DateTime, Option, Schema, Struct } from "effect"
import { QuotaName, type AccountId, type Amounts, type Quotas, type QuotaUsage } from "../../core/model/Account.ts"
import type { BuildReservation } from "../../core/model/Build.ts"
import type { Content, HostedObject, ObjectKey, ObjectDeletion } from "../../core/model/HostedObject.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { RemovedUpload, Reservation } from "../../core/model/Reservation.ts"
import type { TestRun } from "../../core/model/TestRun.ts"
import { UsageStore, type QuotaCheck } from "../../core/ports/UsageStore.ts"
import { countedOf, monthOf, zeroAmounts } from "../../core/rules/limits.ts"
import { sharedWithOthers, storedBy } from "../../core/rules/reservations.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import {
  apiKeys,
  below,
  hostedObjects,
  keyOf,
  openAmounts,
  openUploads,
  previews,
  quotas,
  removals,
  reservations,
  take,
  timeKey,
  walk,
  type OpenAmounts
} from "./tables.ts"
import type { AuditEntry } from "../../core/model/AuditEntry.ts"
import type { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { type AccountForReserve, ReservationStore } from "../../core/ports/ReservationStore.ts"
import { recordEntry } from "./auditLog.ts"
import { post } from "./outbox.ts"
import { ObjectDeletionStore } from "../../core/ports/ObjectDeletionStore.ts"
import { byCodeUnit } from "../../core/rules/pages.ts"

/** How many previews an upload counts. */
const previewsOf = (upload: BuildReservation | Preview): number => ("shareId" in upload ? 1 : 0)

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
    bytesStored: storedBytes - (upload.metadataBytes ?? 0),
    bytesPerMonth: uploadedBytes,
    previewsPerMonth: previewsOf(upload)
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

const openId = ({ accountId, expiresAt, id }: Reservation) => [accountId, timeKey(expiresAt), id] as const

/** What an account has open at a time: what is counted, and what ends between that and the time. */
const openAt = async (tx: Transaction, account: AccountId, at: DateTime.Utc): Promise<OpenAmounts> => {
  const now = timeKey(at)
  const counted = (await openAmounts.find(tx, account)) ?? { asOf: now, reservations: 0, bytes: 0, previews: 0 }
  const { asOf } = counted
  const [from, to] = asOf < now ? [asOf, now] : [now, asOf]
  const range = { from: below("open", account, from).to, to: below("open", account, to).to, reverse: false }
  const moved = await take(Infinity, walk(tx, range), async ({ key, value }) => openUploads.decode(value, key))
  return moved.reduce((amounts, upload) => addOpen(amounts, upload, asOf < now ? -1 : 1), { ...counted, asOf: now })
}

const addOpen = (
  { asOf, bytes, previews, reservations }: OpenAmounts,
  upload: Pick<OpenAmounts, "bytes" | "previews">,
  sign: 1 | -1
): OpenAmounts => ({
  asOf,
  reservations: reservations + sign,
  bytes: bytes + sign * upload.bytes,
  previews: previews + sign * upload.previews
})

/** Lists an upload among the open ones of its account, and counts those at the time of its reservation. */
const listOpen = async (tx: Transaction, upload: BuildReservation | Preview): Promise<void> => {
  const { accountId, expiresAt, reservedAt } = upload
  const open = { expiresAt, bytes: countedOf(upload).declaredBytes, previews: previewsOf(upload) }
  const before = await openAt(tx, accountId, reservedAt)
  const after = timeKey(expiresAt) > before.asOf ? addOpen(before, open, 1) : before
  await openAmounts.put(tx, after, accountId)
  await openUploads.put(tx, open, ...openId(upload))
}

/** Takes an upload that was open until now from the open ones of its account, and from what is counted of them. */
const unlistOpen = async (tx: Transaction, upload: BuildReservation | Preview): Promise<void> => {
  const [counted, open] = [await openAmounts.find(tx, upload.accountId), await openUploads.find(tx, ...openId(upload))]
  await openUploads.remove(tx, ...openId(upload))
  if (open !== undefined && counted !== undefined && timeKey(open.expiresAt) > counted.asOf) {
    await openAmounts.put(tx, addOpen(counted, open, -1), upload.accountId)
  }
}

const usage = async (tx: Transaction, account: AccountId, month: string, now: DateTime.Utc): Promise<QuotaUsage> => {
  const { bytes, previews } = await openAt(tx, account, now)
  const used = { ...zeroAmounts }
  for (const name of QuotaName.literals) used[name] = await counted(tx, account, name, month)
  return {
    used,
    reserved: { ...zeroAmounts, bytesStored: bytes, bytesPerMonth: bytes, previewsPerMonth: previews },
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
    const requested = within.requested[name]
    return limit === undefined || requested === 0 || used[name] + reserved[name] + requested <= limit
  })
}

export const usageStore = (run: Run) =>
  UsageStore.of({
    find: (account, month, now) => run((tx) => usage(tx, account, month, now)),
    setQuotas: (accountQuotas) => run((tx) => quotas.put(tx, accountQuotas, accountQuotas.accountId))
  })

const uploadKey = ({ accountId, id }: Reservation): string => keyOf("uploadsOf", accountId, id)

/** Lists a new upload among the account's, and among its open or finalized ones, and counts it. */
export const listUpload = async (tx: Transaction, upload: BuildReservation | Preview): Promise<void> => {
  await countMetadata(tx, upload, 1)
  await tx.set(uploadKey(upload), upload.id)
  if (upload.finalizedAt === undefined) await listOpen(tx, upload)
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

/** When the first open upload of an account ends. */
const firstEnd = async (tx: Transaction, account: AccountId, now: DateTime.Utc): Promise<DateTime.Utc | undefined> => {
  // Those that end at this very instant are over.
  const open = {
    from: below("open", account, timeKey(now)).to,
    to: below("open", account).to,
    limit: 1,
    reverse: false
  }
  const [first] = await tx.list(open)
  return first && openUploads.decode(first.value, first.key).expiresAt
}

/** Whether a commit may store another reservation of the account. */
export const hasRoom = async (
  tx: Transaction,
  { accountId, reservedAt }: Reservation,
  { openBelow, within }: { readonly openBelow?: number | undefined; readonly within?: QuotaCheck | undefined }
): Promise<boolean> =>
  (openBelow === undefined || (await openAt(tx, accountId, reservedAt)).reservations < openBelow) &&
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
  const hosted = await take(Infinity, listed, ({ value }) => hostedObjects.find(tx, ...decodeContent(value)))
  for (const one of hosted) {
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
  const hosted: Array<HostedObject> = []
  for (const content of contents) {
    const one = await hostedObjects.find(tx, ...contentKey(account, content))
    if (one !== undefined) hosted.push(one)
  }
  return hosted
}

/** What a reserve needs of an account. */
export const accountForReserve = async (
  tx: Transaction,
  account: AccountId,
  contents: ReadonlyArray<Content>
): Promise<AccountForReserve> => ({
  own: await ownQuotas(tx, account),
  hosted: await hostedAmong(tx, account, contents)
})

export const reservationStore = (run: Run) =>
  ReservationStore.of({
    countOpen: (account, now, atMost) =>
      run(async (tx) => {
        const { reservations } = await openAt(tx, account, now)
        return {
          count: Math.min(reservations, atMost),
          firstEnd: Option.fromUndefinedOr(await firstEnd(tx, account, now))
        }
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
    findForReserve: (account, contents) => run((tx) => accountForReserve(tx, account, contents))
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
        const dueRemovals = await take(limit, walk(tx, due), ({ value }) => removals.find(tx, value))
        const taken: Array<ObjectDeletion> = []
        for (const removal of dueRemovals) taken.push(await postpone(tx, removal, until))
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
