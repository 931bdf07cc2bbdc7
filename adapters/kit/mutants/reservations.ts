import { DateTime, Duration, Effect, Option } from "effect"
import type { Content, HostedObject } from "../../../core/model/HostedObject.ts"
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

type FindHosted = ReservationStore["Service"]["findHosted"]

/**
 * Remembers what previews and builds hosted beside the store, `before` or after their commits, and finds by that instead.
 */
const remembering = (before: boolean, otherwise: (all: ReadonlyArray<HostedObject>, find: FindHosted) => FindHosted) =>
  bothAltered(PreviewStore, ReservationStore, (previews, reservations) => {
    const all: Array<HostedObject> = []
    const remember = (hosted: ReadonlyArray<HostedObject> = []) => Effect.sync(() => void all.push(...hosted))
    return [
      {
        commitFinalize: (change) =>
          before
            ? Effect.andThen(remember(change.hosted), previews.commitFinalize(change))
            : Effect.tap(previews.commitFinalize(change), () => remember(change.hosted))
      },
      { findHosted: (account, contents) => otherwise(all, reservations.findHosted)(account, contents) }
    ]
  })

const isOneOf =
  (contents: ReadonlyArray<Content>) =>
  ({ contentHash, sizeBytes }: Content): boolean =>
    contents.some((content) => content.contentHash === contentHash && content.sizeBytes === sizeBytes)

export const reservationMutants: MetadataFaults = {
  "of the contents that are asked for, those that a build or a preview finalized are found": {
    "keeps nothing of what a build hosts": altered(BuildStore, (store) => ({
      commitFinalize: ({ hosted: _hosted, ...change }) => store.commitFinalize(change)
    })),
    "finds what nobody asked for": remembering(
      false,
      (all, find) => (account, contents) =>
        Effect.map(find(account, contents), (found) => (found.length === 0 ? found : all))
    )
  },
  "content is found by its digest and its size together": {
    "finds content by its digest alone": remembering(
      false,
      (all) => (account, contents) =>
        Effect.succeed(
          all.filter(
            ({ accountId, contentHash }) =>
              accountId === account && contents.some((content) => content.contentHash === contentHash)
          )
        )
    )
  },
  "what another account finalized is never found": {
    "forgets the account": remembering(false, (all) => (_, contents) => Effect.succeed(all.filter(isOneOf(contents))))
  },
  "a finalize that is a conflict keeps nothing of what it hosted": {
    "keeps what a finalize hosted that came to nothing": remembering(
      true,
      (all) => (account, contents) =>
        Effect.succeed(all.filter((one) => one.accountId === account && isOneOf(contents)(one)))
    )
  },
  "a reserve finds the account's own quotas beside what it has hosted": {
    "finds no quotas of an account that has nothing hosted": altered(ReservationStore, ({ findForReserve }) => ({
      findForReserve: (...asked) =>
        Effect.map(findForReserve(...asked), ({ hosted, own }) => ({ hosted, own: hosted.length === 0 ? {} : own }))
    })),
    "finds one hosted object at most, beside quotas": altered(ReservationStore, ({ findForReserve }) => ({
      findForReserve: (...asked) =>
        Effect.map(findForReserve(...asked), ({ hosted, own }) => ({ own, hosted: hosted.slice(0, 1) }))
    }))
  },
  "a thousand objects are kept by one finalize and found by one call, by several at once": {
    "finds a hundred at most": altered(ReservationStore, ({ findHosted }) => ({
      findHosted: (account, contents) => findHosted(account, contents.slice(0, 100))
    }))
  },
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
