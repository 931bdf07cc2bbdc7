import { Effect, Option } from "effect"
import type { Build, BuildReservation } from "../../../core/model/Build.ts"
import type { Unavailable } from "../../../core/model/Problem.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { Conflict } from "../../../core/ports/Conflict.ts"
import { statement } from "./failingEngine.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"

type Store = BuildStore["Service"]

/** The version at which a build is stored. */
const versionOf = (store: Store, { accountId, id }: Build) =>
  Effect.map(store.findById(accountId, id), (found) => (Option.isSome(found) ? found.value.build.version : 0))

/** The same build, decided from whatever is stored. */
const onTop = (store: Store, build: Build): Effect.Effect<Build, Unavailable> =>
  Effect.map(versionOf(store, build), (version) => ({ ...build, version: version + 1 }))

/** Finds the reservations of these tokens as they are here. */
const findingAs =
  (store: Store, reservations: ReadonlyMap<string, BuildReservation>): Store["findByToken"] =>
  (token) =>
    Effect.map(
      store.findByToken(token),
      Option.map((found) => ({ ...found, reservation: reservations.get(token) ?? found.reservation }))
    )

/** Finalizes a build and then, in another transaction, its reservation. */
const finalizingInSteps = altered(BuildStore, (store) => {
  const before = new Map<string, BuildReservation>()
  return {
    commitFinalize: Effect.fnUntraced(function* (change) {
      const { tokenHash } = change.reservation
      const stored = yield* store.findByToken(tokenHash)
      yield* store.commitFinalize(change)
      if (Option.isSome(stored)) before.set(tokenHash, stored.value.reservation)
      yield* statement
      before.delete(tokenHash)
    }),
    findByToken: findingAs(store, before)
  }
})

export const buildCommitMutants: MetadataFaults = {
  "a reserve from any version but the stored one is a conflict and writes nothing": {
    "ignores the version that a reserve was decided from": altered(BuildStore, (store) => ({
      commitReserve: (change) =>
        Effect.flatMap(onTop(store, change.build), (build) => store.commitReserve({ ...change, build }))
    }))
  },
  "a second build of one identity is a conflict and writes nothing": {
    "stores the reservation of a commit that is a conflict": altered(BuildStore, (store) => {
      const halves = new Map<string, { readonly build: Build; readonly reservation: BuildReservation }>()
      return {
        commitReserve: (change) =>
          Effect.tapErrorTag(store.commitReserve(change), "Conflict", () =>
            Effect.sync(() => halves.set(change.reservation.tokenHash, change))
          ),
        findByToken: Effect.fnUntraced(function* (token) {
          const half = halves.get(token)
          if (half === undefined) return yield* store.findByToken(token)
          const { build } = half
          const repository = { id: build.repositoryId, accountId: build.accountId, linkedAt: build.createdAt }
          return Option.some({ ...half, repository: { ...repository, owner: "owner", repo: "repo" } })
        })
      }
    })
  },
  "a finalize of a build during which the engine fails is stored whole or not at all": {
    "finalizes without a transaction": finalizingInSteps
  },
  "a finalize sets the time, the location and the digests of its reservation and changes nothing else of it": {
    "replaces the declaration by the one that a finalize names": altered(BuildStore, (store) => {
      const said = new Map<string, BuildReservation>()
      return {
        commitFinalize: (change) =>
          Effect.tap(store.commitFinalize(change), () =>
            Effect.sync(() => said.set(change.reservation.tokenHash, change.reservation))
          ),
        findByToken: findingAs(store, said)
      }
    })
  },
  "a commit is decided by the version and not by the time, so hosts whose clocks differ can commit in turn": {
    "refuses a commit whose time is before that of the last": altered(BuildStore, (store) => ({
      commitReserve: Effect.fnUntraced(function* (change) {
        const stored = yield* store.findById(change.build.accountId, change.build.id)
        const last = Option.isSome(stored) ? stored.value.upload.reservedAt.epochMilliseconds : -Infinity
        if (change.reservation.reservedAt.epochMilliseconds < last) return yield* new Conflict()
        yield* store.commitReserve(change)
      })
    }))
  }
}
