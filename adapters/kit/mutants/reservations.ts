import { DateTime, Duration, Effect, Option } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import type { Content, HostedObject } from "../../../core/model/HostedObject.ts"
import type { Preview } from "../../../core/model/Preview.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { ReservationStore, type ReservationWithKey } from "../../../core/ports/ReservationStore.ts"
import { isLive } from "../../../core/rules/keys.ts"
import { declaredObjects } from "../../../core/rules/reservations.ts"
import { altered, bothAltered, type MetadataFaults } from "./Mutant.ts"

type CountOpen = ReservationStore["Service"]["countOpen"]

/** Alters the count; `count` is the correct one. */
const counting = (otherwise: (count: CountOpen) => CountOpen) =>
  altered(ReservationStore, ({ countOpen }) => ({ countOpen: otherwise(countOpen) }))

type FindOpen = ReservationStore["Service"]["findOpen"]

/** Alters which open reservations are found; `find` is correct. */
const finding = (otherwise: (find: FindOpen) => FindOpen) =>
  altered(ReservationStore, ({ findOpen }) => ({ findOpen: otherwise(findOpen) }))

/** Finds, beside those that are to be found, some of the previews that were reserved ever. */
const remembersReservations = (which: (all: ReadonlyArray<Preview>, account: AccountId) => ReadonlyArray<Preview>) =>
  bothAltered(PreviewStore, ReservationStore, (previews, { findOpen }) => {
    const all = new Map<string, Preview>()
    const remember = (preview: Preview) => Effect.sync(() => void all.set(preview.id, preview))
    return [
      {
        commitReserve: (change) => Effect.tap(previews.commitReserve(change), () => remember(change.preview)),
        commitFinalize: (change) => Effect.tap(previews.commitFinalize(change), () => remember(change.preview))
      },
      {
        findOpen: (account, asked) =>
          Effect.map(findOpen(account, asked), (open) => [
            ...open,
            ...which([...all.values()], account)
              .filter(({ id }) => open.every((one) => one.id !== id))
              .map(({ declaration, id }) => ({ id, objects: declaredObjects(declaration) }))
          ])
      }
    ]
  })

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
  "the open reservations that end last are found between two instants, of builds and of previews, with their objects": {
    "finds a reservation at the instant of its end": finding(
      (find) => (account, which) =>
        find(account, { ...which, after: DateTime.subtractDuration(which.after, Duration.millis(1)) })
    ),
    "doesn't find one that ends at the later instant": finding(
      (find) => (account, which) =>
        find(account, { ...which, until: DateTime.subtractDuration(which.until, Duration.millis(1)) })
    ),
    "finds one too many": finding((find) => (account, which) => find(account, { ...which, limit: which.limit + 1 })),
    "finds the first to end": finding(
      (find) => (account, which) =>
        Effect.map(find(account, { ...which, limit: 100 }), (open) => open.toReversed().slice(0, which.limit))
    ),
    "finds bundles only": finding(
      (find) => (account, which) =>
        Effect.map(find(account, which), (open) => open.map((one) => ({ ...one, objects: one.objects.slice(0, 1) })))
    )
  },
  "of open reservations that end together, those of the greatest ids are found": {
    "finds the least ids": finding(
      (find) => (account, which) =>
        Effect.map(find(account, { ...which, limit: 100 }), (open) =>
          open.toSorted((a, b) => (a.id < b.id ? -1 : 1)).slice(0, which.limit)
        )
    )
  },
  "what is finalized and what is another account's is not found among open reservations": {
    "finds what is finalized": remembersReservations((all, account) =>
      all.filter(({ accountId }) => accountId === account)
    ),
    "finds the previews of everyone": remembersReservations((all) =>
      all.filter(({ finalizedAt }) => finalizedAt === undefined)
    )
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
