import { Context, DateTime, Duration, Effect, Layer, Option } from "effect"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { ReservationStore } from "../../../core/ports/ReservationStore.ts"
import type { ReservationWithKey } from "../../../core/ports/ReservationStore.ts"
import { isLive } from "../../../core/rules/keys.ts"
import { layerMetadata } from "../../memory/index.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

const openCase =
  "ReservationStore > the open reservations of builds and previews are counted together, up to the instant of their end"
const accountCase =
  "ReservationStore > finalized reservations and other accounts' aren't counted as open, and unlinking a repository changes no count"
const roomCase =
  "ReservationStore > a reserve beyond the limit is a conflict that stores nothing, until another reservation is finalized or expires"

type CountOpen = ReservationStore["Service"]["countOpen"]

/** Alters the count; `count` is the correct one. */
const counting = (otherwise: (count: CountOpen) => CountOpen) =>
  altered(ReservationStore, (store) => ({ ...store, countOpen: otherwise(store.countOpen) }))

const decompressed = (found: Option.Option<ReservationWithKey>): number =>
  Option.getOrUndefined(found)?.reservation.decompressedBytes ?? 0

/**
 * Counts commits of previews that are finalized, or reserved by any account, in addition to or instead of open ones.
 */
const countingCommits = (
  method: "commitFinalize" | "commitReserve",
  otherwise: (open: number, commits: number) => number
) =>
  Layer.flatMap(layerMetadata, (memory) => {
    const [previews, reservations] = [Context.get(memory, PreviewStore), Context.get(memory, ReservationStore)]
    let commits = 0
    const counted = <A, E>(commit: Effect.Effect<A, E>) =>
      Effect.tap(commit, () => Effect.sync(() => void (commits += 1)))
    return Layer.succeedContext(
      memory.pipe(
        Context.add(PreviewStore, {
          ...previews,
          ...(method === "commitFinalize"
            ? { commitFinalize: (change) => counted(previews.commitFinalize(change)) }
            : { commitReserve: (change) => counted(previews.commitReserve(change)) })
        }),
        Context.add(ReservationStore, {
          ...reservations,
          countOpen: (account, now, atMost) =>
            Effect.map(reservations.countOpen(account, now, atMost), (open) => ({
              ...open,
              count: otherwise(open.count, commits)
            }))
        })
      )
    )
  })

export const reservationMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "takes a reservation for open at the instant of its end",
    caughtBy: openCase,
    adapter: counting(
      (count) => (account, now, atMost) => count(account, DateTime.subtractDuration(now, Duration.millis(1)), atMost)
    )
  },
  {
    fault: "counts reservations by the clock on the wall",
    caughtBy: openCase,
    adapter: counting(
      (count) => (account, _, atMost) => Effect.flatMap(DateTime.now, (now) => count(account, now, atMost))
    )
  },
  {
    fault: "counts what is finalized as open",
    caughtBy: accountCase,
    adapter: countingCommits("commitFinalize", (open, commits) => open + commits)
  },
  {
    fault: "counts the previews of everyone",
    caughtBy: accountCase,
    adapter: countingCommits("commitReserve", (open, commits) => Math.max(open, commits))
  },
  {
    fault: "counts further than it was asked",
    caughtBy:
      "ReservationStore > the count stops at the given maximum, and the first end is that of all open reservations",
    adapter: counting((count) => (account, now) => count(account, now, Number.MAX_SAFE_INTEGER))
  },
  {
    fault: "finds the reservations that are open alone",
    caughtBy: "ReservationStore > a reservation is found by its id with its key and every field unchanged, open or not",
    adapter: altered(ReservationStore, (store) => ({
      ...store,
      findForPut: (id) =>
        Effect.map(
          store.findForPut(id),
          Option.filter(({ reservation }) => reservation.finalizedAt === undefined)
        )
    }))
  },
  {
    fault: "hides a key that is revoked",
    caughtBy:
      "ReservationStore > a reservation is found with the current state of its key, or without a key where none was kept",
    adapter: altered(ReservationStore, (store) => ({
      ...store,
      findForPut: (id) =>
        Effect.map(
          store.findForPut(id),
          Option.map((one) => ({ ...one, key: Option.filter(one.key, (key) => isLive(key, key.createdAt)) }))
        )
    }))
  },
  {
    fault: "loses additions that are made at once",
    caughtBy: "ReservationStore > no concurrent addition is lost",
    adapter: altered(ReservationStore, (store) => ({
      ...store,
      addDecompressed: Effect.fnUntraced(function* (id, bytes) {
        const sum = decompressed(yield* store.findForPut(id))
        yield* Effect.yieldNow
        yield* store.addDecompressed(id, sum + bytes - decompressed(yield* store.findForPut(id)))
      })
    }))
  },
  {
    fault: "keeps what was decompressed last, and not all of it",
    caughtBy: "ReservationStore > decompressed bytes add up, finalized or not, and change nothing else",
    adapter: altered(ReservationStore, (store) => ({
      ...store,
      addDecompressed: Effect.fnUntraced(function* (id, bytes) {
        yield* store.addDecompressed(id, bytes - decompressed(yield* store.findForPut(id)))
      })
    }))
  },
  {
    fault: "reserves a build although there is no room",
    caughtBy: roomCase,
    adapter: altered(BuildStore, (store) => ({
      ...store,
      commitReserve: (change) => store.commitReserve({ ...change, openBelow: undefined })
    }))
  },
  {
    fault: "reserves a preview although there is no room",
    caughtBy: roomCase,
    adapter: altered(PreviewStore, (store) => ({
      ...store,
      commitReserve: (change) => store.commitReserve({ ...change, openBelow: undefined })
    }))
  },
  {
    fault: "leaves room for one less",
    caughtBy: roomCase,
    adapter: altered(PreviewStore, (store) => ({
      ...store,
      commitReserve: (change) =>
        store.commitReserve({ ...change, openBelow: change.openBelow === undefined ? undefined : change.openBelow - 1 })
    }))
  }
]
