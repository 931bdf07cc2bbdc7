import { DateTime, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Content, HostedObject } from "../../core/model/HostedObject.ts"
import type { Preview } from "../../core/model/Preview.ts"
import type { Reservation } from "../../core/model/Reservation.ts"
import type { Within } from "../../core/ports/UsageStore.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import type { Run } from "./run.ts"
import { isWithin } from "./usage.ts"
import { apiKeys, hostedObjects, previews, reservations, take, walk } from "./tables.ts"

const openKey = ({ accountId, expiresAt, id }: Reservation): string => keyOf("open", accountId, timeKey(expiresAt), id)

/** Lists a new reservation among the account's open ones. */
export const listOpen = (tx: Transaction, reservation: Reservation): Promise<void> =>
  tx.set(openKey(reservation), DateTime.formatIso(reservation.expiresAt))

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

const contentKey = (account: AccountId, { contentHash, sizeBytes }: Content): ReadonlyArray<string> => [
  account,
  contentHash,
  String(sizeBytes)
]

const withMore = <R extends Reservation>(reservation: R, bytes: number): R => ({
  ...reservation,
  decompressedBytes: (reservation.decompressedBytes ?? 0) + bytes
})

/** Keeps what was finalized by its content, each in the place of an earlier one. */
export const keepHosted = async (tx: Transaction, hosted: ReadonlyArray<HostedObject> = []): Promise<void> => {
  for (const one of hosted) await hostedObjects.put(tx, one, ...contentKey(one.accountId, one))
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
        const reservation = (await reservations.find(tx, id)) ?? (await previewOf(tx, id))
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
    findHosted: (account, contents) =>
      run(async (tx) => {
        const found: Array<HostedObject> = []
        for (const content of contents) {
          const one = await hostedObjects.find(tx, ...contentKey(account, content))
          if (one !== undefined) found.push(one)
        }
        return found
      })
  })
