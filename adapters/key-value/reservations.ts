import { DateTime, Option, Schema } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { AuditEntry } from "../../core/model/AuditEntry.ts"
import type { BuildReservation } from "../../core/model/Build.ts"
import type { Content, HostedObject } from "../../core/model/HostedObject.ts"
import type { ObjectKey } from "../../core/model/ObjectKey.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { RemovedUpload, Reservation } from "../../core/model/Reservation.ts"
import type { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import type { QuotaCheck } from "../../core/ports/UsageStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { sharedWithOthers, storedBy } from "../../core/rules/reservations.ts"
import { recordEntry } from "./auditLog.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import type { Run } from "./run.ts"
import { post } from "./outbox.ts"
import { countDeleted, countFinalized, countHosted, countMetadata, isWithin, ownQuotas } from "./usage.ts"
import { apiKeys, hostedObjects, previews, reservations, take, walk } from "./tables.ts"

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
export const deleteHosted = async (tx: Transaction, account: AccountId, prefix: string): Promise<void> => {
  const storing = storedBy(prefix)
  if (storing === undefined || (await anyUpload(tx, storing)) !== undefined) return
  const listed = walk(tx, { ...below(...hostedParts(prefix)), reverse: false })
  const found = await take(Infinity, listed, ({ value }) => hostedObjects.find(tx, ...decodeContent(value)))
  for (const one of found) {
    if (one.accountId === account && !(await isShared(tx, one.objectKey))) await removeHosted(tx, one)
  }
}

/** Whether an upload shares an object, or still can. */
export const isReferenced = async (tx: Transaction, objectKey: string): Promise<boolean> =>
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
