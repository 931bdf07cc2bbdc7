import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import type { BuildReservation, BuildView } from "../../../core/model/Build.ts"
import { BuildStore } from "../../../core/ports/BuildStore.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"

type Store = BuildStore["Service"]

/** Every upload that is shown is shown as `view` has it. */
const showing = (view: (upload: BuildReservation) => BuildReservation) =>
  altered(BuildStore, (store) => ({
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

/** The account and the last upload of every build that was reserved. */
const remembering = (alter: (store: Store, reserved: Map<string, BuildReservation>) => Partial<Store>) =>
  altered(BuildStore, (store) => {
    const reserved = new Map<string, BuildReservation>()
    const commitReserve: Store["commitReserve"] = (change) =>
      Effect.tap(store.commitReserve(change), () =>
        Effect.sync(() => reserved.set(change.build.id, change.reservation))
      )
    return { commitReserve, ...alter(store, reserved) }
  })

export const buildReadMutants: MetadataFaults = {
  "reads > another account finds nothing": {
    "forgets the account when a build is read by its id": remembering((store, reserved) => ({
      findById: (account, id) => store.findById(reserved.get(id)?.accountId ?? account, id)
    }))
  },
  "reads > an unlinked repository hides its builds, and shows them again when it is linked again": {
    "shows the builds of a repository that is not linked any more": altered(BuildStore, (store) => {
      const seen = new Map<string, BuildView>()
      return {
        commitReserve: Effect.fnUntraced(function* (change) {
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
  "reads > a build shows the upload that it names and not the last one stored": {
    "shows the upload that was reserved last instead of the build's own": remembering((store, reserved) => ({
      findById: (account, id) =>
        Effect.map(
          store.findById(account, id),
          Option.map((found) => ({ ...found, upload: reserved.get(id) ?? found.upload }))
        )
    }))
  },
  "reads > a build is found only by its exact branch, platform and commit": {
    "finds the build of a branch whose name differs only in case": altered(BuildStore, (store) => ({
      loadForReserve: Effect.fnUntraced(function* (account, repository, identity) {
        const slot = yield* store.loadForReserve(account, repository, identity)
        const isThere = Option.isSome(Option.flatMap(slot, ({ build }) => build))
        const branch = identity.branch.toLowerCase()
        return isThere ? slot : yield* store.loadForReserve(account, repository, { ...identity, branch })
      })
    }))
  },
  "reads > a declaration of a thousand files keeps all of them in order": {
    "keeps the files of a declaration in the order of their paths": showing((upload) => {
      const files = upload.declaration.files.toSorted((a, b) => (a.path < b.path ? -1 : 1))
      return { ...upload, declaration: { ...upload.declaration, files } }
    })
  },
  "reads > a build comes back with every field unchanged from each call that finds it, and with no other": {
    "keeps numbers in single precision": showing((upload) => {
      const { bundleSizeBytes } = upload.declaration
      return { ...upload, declaration: { ...upload.declaration, bundleSizeBytes: Math.fround(bundleSizeBytes) } }
    }),
    "gives an empty text for one that was absent": showing((upload) => ({
      ...upload,
      declaration: { entry: "", ...upload.declaration }
    }))
  },
  "latest > the latest build of a branch is the one that the rule chooses, at every instant": {
    "takes only builds that are ready for the latest": altered(BuildStore, (store) => ({
      findLatest: (...asked) =>
        Effect.map(
          store.findLatest(...asked),
          Option.filter(({ build }) => build.readyAt !== undefined)
        )
    }))
  },
  "latest > the latest build is found by the time that is given and not by the engine's clock": {
    "finds the latest by the engine's clock": altered(BuildStore, (store) => ({
      findLatest: (account, repository, branch, platform) =>
        Effect.flatMap(DateTime.now, (now) => store.findLatest(account, repository, branch, platform, now))
    }))
  }
}

const isOf = (account: AccountId) => (view: BuildView) => view.build.accountId === account
