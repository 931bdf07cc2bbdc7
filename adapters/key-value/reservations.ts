import { DateTime, Option, Schema } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { BuildReservation } from "../../core/model/Build.ts"
import type { Content, HostedObject } from "../../core/model/HostedObject.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { Reservation } from "../../core/model/Reservation.ts"
import type { Within } from "../../core/ports/UsageStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import type { Run } from "./run.ts"
import { isWithin, ownQuotas } from "./usage.ts"
import { apiKeys, hostedObjects, previews, reservations, take, walk } from "./tables.ts"

const openKey = ({ accountId, expiresAt, id }: Reservation): string => keyOf("open", accountId, timeKey(expiresAt), id)

const uploadKey = ({ accountId, id }: Reservation): string => keyOf("uploadsOf", accountId, id)

/** Lists a new reservation among the account's uploads, and its open ones. */
export const listUpload = async (tx: Transaction, reservation: Reservation): Promise<void> => {
  await tx.set(uploadKey(reservation), reservation.id)
  await tx.set(openKey(reservation), DateTime.formatIso(reservation.expiresAt))
}

/** Takes a reservation that is removed from those lists. */
export const unlistUpload = async (tx: Transaction, reservation: Reservation): Promise<void> => {
  await tx.remove(uploadKey(reservation))
  await unlistOpen(tx, reservation)
}

/** Takes a finalized reservation from the account's open ones. */
export const unlistOpen = (tx: Transaction, reservation: Reservation): Promise<void> => tx.remove(openKey(reservation))

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
  { openBelow, within }: { readonly openBelow?: number | undefined; readonly within?: Within | undefined }
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
const hostedParts = (account: AccountId, objectKey: string): ReadonlyArray<string> => [
  "hostedAt",
  account,
  ...objectKey.replace(/\/$/, "").split("/")
]

const unlistHosted = (tx: Transaction, { accountId, objectKey }: HostedObject): Promise<void> =>
  tx.remove(keyOf(...hostedParts(accountId, objectKey)))

/** Keeps what was finalized by its content, each in the place of an earlier one. */
export const keepHosted = async (tx: Transaction, hosted: ReadonlyArray<HostedObject> = []): Promise<void> => {
  for (const one of hosted) {
    const content = contentKey(one.accountId, one)
    const before = await hostedObjects.find(tx, ...content)
    if (before !== undefined) await unlistHosted(tx, before)
    await hostedObjects.put(tx, one, ...content)
    await tx.set(keyOf(...hostedParts(one.accountId, one.objectKey)), JSON.stringify(content))
  }
}

/** Forgets what an account has hosted below a prefix. */
export const forgetHosted = async (tx: Transaction, account: AccountId, prefix: string): Promise<void> => {
  const listed = walk(tx, { ...below(...hostedParts(account, prefix)), reverse: false })
  for (const { key, value } of await take(Infinity, listed, async (entry) => entry)) {
    await hostedObjects.remove(tx, ...decodeContent(value))
    await tx.remove(key)
  }
}

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
      run(async (tx) => ({ own: await ownQuotas(tx, account), hosted: await hostedAmong(tx, account, contents) }))
  })
