import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Reservation, ReservationId } from "../../core/model/Reservation.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import type { State } from "./state.ts"

const openEnds = (state: State, account: AccountId, now: DateTime.Utc): ReadonlyArray<DateTime.Utc> =>
  [...state.reservations.values(), ...state.previews.values()]
    .filter(
      ({ accountId, expiresAt, finalizedAt }) =>
        accountId === account && finalizedAt === undefined && DateTime.isLessThan(now, expiresAt)
    )
    .map(({ expiresAt }) => expiresAt)

/** Whether a commit may store another reservation of the account. */
export const hasRoom = (
  state: State,
  { accountId, reservedAt }: Pick<Reservation, "accountId" | "reservedAt">,
  openBelow: number | undefined
): boolean => openBelow === undefined || openEnds(state, accountId, reservedAt).length < openBelow

export const reservationStore = (state: State) => {
  const previewOf = (id: ReservationId) => state.previews.values().find((preview) => preview.id === id)
  const more = ({ decompressedBytes = 0 }: Reservation, bytes: number) => ({
    decompressedBytes: decompressedBytes + bytes
  })

  return ReservationStore.of({
    countOpen: (account, now, atMost) =>
      Effect.sync(() => {
        const ends = openEnds(state, account, now)
        return {
          count: Math.min(ends.length, atMost),
          firstEnd: Option.fromUndefinedOr(ends.toSorted(DateTime.Order)[0])
        }
      }),
    findForPut: (id) =>
      Effect.sync(() => {
        const reservation = state.reservations.get(id) ?? previewOf(id)
        if (reservation === undefined) return Option.none()
        const { keyId } = reservation
        return Option.some({
          reservation,
          key: Option.fromUndefinedOr(keyId === undefined ? undefined : state.keys.get(keyId))
        })
      }),
    addDecompressed: (id, bytes) =>
      Effect.sync(() => {
        const [ofBuild, preview] = [state.reservations.get(id), previewOf(id)]
        if (ofBuild !== undefined) state.reservations.set(id, { ...ofBuild, ...more(ofBuild, bytes) })
        if (preview !== undefined) state.previews.set(preview.shareId, { ...preview, ...more(preview, bytes) })
      })
  })
}
