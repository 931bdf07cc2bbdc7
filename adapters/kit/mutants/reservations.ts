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

type FindOpen = ReservationStore["Service"]["findOpen"]

/** Alters which open reservations are found; `find` is correct. */
const finding = (otherwise: (find: FindOpen) => FindOpen) =>
  altered(ReservationStore, ({ findOpen }) => ({ findOpen: otherwise(findOpen) }))

const decompressed = (found: Option.Option<ReservationWithKey>): number =>
  Option.getOrUndefined(found)?.reservation.decompressedBytes ?? 0

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
    }))
  },
  "a thousand objects are stored by one finalize and found by one call": {
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
  "the open reservations that end last are found between two instants, of builds and of previews, with their objects": {
    "finds one too many": finding((find) => (account, which) => find(account, { ...which, limit: which.limit + 1 })),
    "finds bundles only": finding(
      (find) => (account, which) =>
        Effect.map(find(account, which), (open) => open.map((one) => ({ ...one, objects: one.objects.slice(0, 1) })))
    )
  },
  "the count stops at the given maximum, and the first end is that of all open reservations": {
    "counts beyond the given maximum": counting(
      (count) => (account, now) => count(account, now, Number.MAX_SAFE_INTEGER)
    )
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
  "a reserve beyond the limit is a conflict that stores nothing, until another reservation is finalized or expires": {
    "reserves a build although there is no room": altered(BuildStore, (store) => ({
      commitReserve: (change) => store.commitReserve({ ...change, openBelow: undefined })
    })),
    "lowers the limit by one": altered(PreviewStore, (store) => ({
      commitReserve: (change) =>
        store.commitReserve({ ...change, openBelow: change.openBelow === undefined ? undefined : change.openBelow - 1 })
    }))
  }
}
