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
  "ReservationStore > what is finalized isn't open, nor is another account's, and whether a repository is linked says nothing"
const roomCase =
  "ReservationStore > a reserve for which there is no room is a conflict and stores nothing, until one is finalized or over"

type CountOpen = ReservationStore["Service"]["countOpen"]

/** Counts otherwise; `count` is how it is meant to be. */
const counting = (otherwise: (count: CountOpen) => CountOpen) =>
  altered(ReservationStore, (store) => ({ ...store, countOpen: otherwise(store.countOpen) }))

const decompressed = (found: Option.Option<ReservationWithKey>): number =>
  Option.getOrUndefined(found)?.reservation.decompressedBytes ?? 0

/** Counts the commits of previews that are finalized, or reserved, by whoever it be, beside or in place of what is open. */
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
    caughtBy: "ReservationStore > no more are counted than were asked for, and the first end is that of all of them",
    adapter: counting((count) => (account, now) => count(account, now, Number.MAX_SAFE_INTEGER))
  },
  {
    fault: "finds the reservations that are open alone",
    caughtBy: "ReservationStore > a reservation is found by its id with its key, every field as it was, open or not",
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
      "ReservationStore > the key of a reservation is as it is now: revoked by the next call, and none where none was kept",
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
    caughtBy: "ReservationStore > of many additions at once none is lost",
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
    caughtBy: "ReservationStore > what was decompressed adds up, finalized or not, and changes nothing else",
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
