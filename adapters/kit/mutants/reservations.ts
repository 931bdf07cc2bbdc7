import { DateTime, Duration, Effect, Option } from "effect"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { ReservationStore, type ReservationWithKey } from "../../../core/ports/ReservationStore.ts"
import { isLive } from "../../../core/rules/keys.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

type CountOpen = ReservationStore["Service"]["countOpen"]

/** Alters the count; `count` is the correct one. */
const counting = (otherwise: (count: CountOpen) => CountOpen) =>
  altered(ReservationStore, ({ countOpen }) => ({ countOpen: otherwise(countOpen) }))

const decompressed = (found: Option.Option<ReservationWithKey>): number =>
  Option.getOrUndefined(found)?.reservation.decompressedBytes ?? 0

/**
 * Counts commits of previews that are finalized, or reserved by any account, in addition to or instead of open ones.
 */
const countingCommits = (
  method: "commitFinalize" | "commitReserve",
  otherwise: (open: number, commits: number) => number
) =>
  bothAltered(PreviewStore, ReservationStore, (previews, reservations) => {
    let commits = 0
    const counted = <A, E>(commit: Effect.Effect<A, E>) =>
      Effect.tap(commit, () => Effect.sync(() => void (commits += 1)))
    return [
      method === "commitFinalize"
        ? { commitFinalize: (change) => counted(previews.commitFinalize(change)) }
        : { commitReserve: (change) => counted(previews.commitReserve(change)) },
      {
        countOpen: (account, now, atMost) =>
          Effect.map(reservations.countOpen(account, now, atMost), (open) => ({
            ...open,
            count: otherwise(open.count, commits)
          }))
      }
    ]
  })

export const reservationMutants: MetadataFaults = {
  "the open reservations of builds and previews are counted together, up to the instant of their end": {
    "takes a reservation for open at the instant of its end": counting(
      (count) => (account, now, atMost) => count(account, DateTime.subtractDuration(now, Duration.millis(1)), atMost)
    ),
    "counts reservations by the engine's clock": counting(
      (count) => (account, _, atMost) => Effect.flatMap(DateTime.now, (now) => count(account, now, atMost))
    )
  },
  "finalized reservations and other accounts' aren't counted as open, and unlinking a repository changes no count": {
    "counts what is finalized as open": countingCommits("commitFinalize", (open, commits) => open + commits),
    "counts the previews of everyone": countingCommits("commitReserve", (open, commits) => Math.max(open, commits))
  },
  "the count stops at the given maximum, and the first end is that of all open reservations": {
    "counts beyond the given maximum": counting(
      (count) => (account, now) => count(account, now, Number.MAX_SAFE_INTEGER)
    )
  },
  "a reservation is found by its id with its key and every field unchanged, open or not": {
    "finds only open reservations": altered(ReservationStore, (store) => ({
      findForPut: (id) =>
        Effect.map(
          store.findForPut(id),
          Option.filter(({ reservation }) => reservation.finalizedAt === undefined)
        )
    }))
  },
  "a reservation is found with the current state of its key, or without a key where none was kept": {
    "hides a key that is revoked": altered(ReservationStore, (store) => ({
      findForPut: (id) =>
        Effect.map(
          store.findForPut(id),
          Option.map((one) => ({ ...one, key: Option.filter(one.key, (key) => isLive(key, key.createdAt)) }))
        )
    }))
  },
  "no concurrent addition is lost": {
    "loses concurrent additions": altered(ReservationStore, (store) => ({
      addDecompressed: Effect.fnUntraced(function* (id, bytes) {
        const sum = decompressed(yield* store.findForPut(id))
        yield* Effect.yieldNow
        yield* store.addDecompressed(id, sum + bytes - decompressed(yield* store.findForPut(id)))
      })
    }))
  },
  "decompressed bytes add up, finalized or not, and change nothing else": {
    "keeps the last addition in place of the sum": altered(ReservationStore, (store) => ({
      addDecompressed: Effect.fnUntraced(function* (id, bytes) {
        yield* store.addDecompressed(id, bytes - decompressed(yield* store.findForPut(id)))
      })
    }))
  },
  "a reserve beyond the limit is a conflict that stores nothing, until another reservation is finalized or expires": {
    "reserves a build although there is no room": altered(BuildStore, (store) => ({
      commitReserve: (change) => store.commitReserve({ ...change, openBelow: undefined })
    })),
    "reserves a preview although there is no room": altered(PreviewStore, (store) => ({
      commitReserve: (change) => store.commitReserve({ ...change, openBelow: undefined })
    })),
    "lowers the limit by one": altered(PreviewStore, (store) => ({
      commitReserve: (change) =>
        store.commitReserve({ ...change, openBelow: change.openBelow === undefined ? undefined : change.openBelow - 1 })
    }))
  }
}
