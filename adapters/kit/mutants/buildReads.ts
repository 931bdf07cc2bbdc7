import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import type { BuildReservation, BuildView } from "../../../core/model/Build.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

type Store = BuildStore["Service"]

/** Every upload that is shown is shown as `view` has it. */
const showing = (view: (upload: BuildReservation) => BuildReservation) =>
  altered(BuildStore, (store) => ({
    ...store,
    findById: (account, id) =>
      Effect.map(
        store.findById(account, id),
        Option.map((found) => ({ ...found, upload: view(found.upload) }))
      ),
    findByToken: (token) =>
      Effect.map(
        store.findByToken(token),
        Option.map((found) => ({ ...found, reservation: view(found.reservation) }))
      )
  }))

/** What every build that was reserved was told of itself: whose it is, and its last upload. */
const remembering = (alter: (store: Store, reserved: Map<string, BuildReservation>) => Partial<Store>) =>
  altered(BuildStore, (store) => {
    const reserved = new Map<string, BuildReservation>()
    const commitReserve: Store["commitReserve"] = (change) =>
      Effect.tap(store.commitReserve(change), () =>
        Effect.sync(() => reserved.set(change.build.id, change.reservation))
      )
    return { ...store, commitReserve, ...alter(store, reserved) }
  })

export const buildReadMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "forgets the account when a build is read by its id",
    caughtBy: "BuildStore > reads > another account finds nothing",
    adapter: remembering((store, reserved) => ({
      findById: (account, id) => store.findById(reserved.get(id)?.accountId ?? account, id)
    }))
  },
  {
    fault: "shows the builds of a repository that is not linked any more",
    caughtBy:
      "BuildStore > reads > an unlinked repository hides its builds, and shows them again when it is linked again",
    adapter: altered(BuildStore, (store) => {
      const seen = new Map<string, BuildView>()
      return {
        ...store,
        commitReserve: (change) =>
          Effect.gen(function* () {
            yield* store.commitReserve(change)
            const found = yield* store.findById(change.build.accountId, change.build.id)
            if (Option.isSome(found)) seen.set(change.build.id, found.value)
          }),
        findById: (account, id) =>
          Effect.map(store.findById(account, id), (found) =>
            Option.isSome(found) ? found : Option.filter(Option.fromUndefinedOr(seen.get(id)), isOf(account))
          )
      }
    })
  },
  {
    fault: "shows the upload that was reserved last",
    caughtBy: "BuildStore > reads > a build shows the upload that it names and not the last one stored",
    adapter: remembering((store, reserved) => ({
      findById: (account, id) =>
        Effect.map(
          store.findById(account, id),
          Option.map((found) => ({ ...found, upload: reserved.get(id) ?? found.upload }))
        )
    }))
  },
  {
    fault: "finds the build of another branch where there is none of this",
    caughtBy: "BuildStore > reads > a build is found only by its exact branch, platform and commit",
    adapter: altered(BuildStore, (store) => ({
      ...store,
      loadForReserve: Effect.fnUntraced(function* (account, repository, identity) {
        const slot = yield* store.loadForReserve(account, repository, identity)
        const isThere = Option.isSome(Option.flatMap(slot, ({ build }) => build))
        const branch = identity.branch.toLowerCase()
        return isThere ? slot : yield* store.loadForReserve(account, repository, { ...identity, branch })
      })
    }))
  },
  {
    fault: "keeps the files of a declaration in the order of their paths",
    caughtBy: "BuildStore > reads > a declaration of a thousand files keeps all of them in order",
    adapter: showing((upload) => {
      const files = upload.declaration.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
      return { ...upload, declaration: { ...upload.declaration, files } }
    })
  },
  {
    fault: "keeps numbers in single precision",
    caughtBy: "BuildStore > reads > every field of a build and its upload comes back unchanged",
    adapter: showing((upload) => {
      const { bundleSizeBytes } = upload.declaration
      return { ...upload, declaration: { ...upload.declaration, bundleSizeBytes: Math.fround(bundleSizeBytes) } }
    })
  },
  {
    fault: "gives an empty text for one that was absent",
    caughtBy: "BuildStore > reads > a field that was absent is absent",
    adapter: showing((upload) => ({ ...upload, declaration: { entry: "", ...upload.declaration } }))
  },
  {
    fault: "drops the spaces at the ends of a text",
    caughtBy: "BuildStore > reads > texts of every kind come back unchanged, and different branches stay different",
    adapter: showing((upload) => {
      const { entry } = upload.declaration
      return entry === undefined ? upload : { ...upload, declaration: { ...upload.declaration, entry: entry.trim() } }
    })
  },
  {
    fault: "counts a reservation that is over among the latest",
    caughtBy:
      "BuildStore > latest > a build that is reserved again is the latest until that reservation ends, and then has its earlier rank",
    adapter: altered(BuildStore, (store) => ({
      ...store,
      findLatest: (account, repository, branch, platform) =>
        store.findLatest(account, repository, branch, platform, DateTime.makeUnsafe(0))
    }))
  },
  {
    fault: "takes only builds that are ready for the latest",
    caughtBy: "BuildStore > latest > the latest build of a branch is the one that the rule chooses, at every instant",
    adapter: altered(BuildStore, (store) => ({
      ...store,
      findLatest: (...asked) =>
        Effect.map(
          store.findLatest(...asked),
          Option.filter(({ build }) => build.readyAt !== undefined)
        )
    }))
  },
  {
    fault: "finds the latest by the engine's clock",
    caughtBy: "BuildStore > latest > the latest build is found by the time that is given and not by the engine's clock",
    adapter: altered(BuildStore, (store) => ({
      ...store,
      findLatest: (account, repository, branch, platform) =>
        Effect.flatMap(DateTime.now, (now) => store.findLatest(account, repository, branch, platform, now))
    }))
  },
  {
    fault: "finds the latest of either platform",
    caughtBy: "BuildStore > latest > a branch has its own latest build on each platform and in each repository",
    adapter: altered(BuildStore, (store) => ({
      ...store,
      findLatest: (account, repository, branch, _, now) => store.findLatest(account, repository, branch, "ios", now)
    }))
  }
]

const isOf = (account: AccountId) => (view: BuildView) => view.build.accountId === account
