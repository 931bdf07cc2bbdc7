import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import type { Preview } from "../../../core/model/Preview.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../../core/ports/RepositoryStore.ts"
import { layerMetadata } from "../../memory/index.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

export const previewMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "forgets the account when a preview is read by its share id",
    caughtBy: "PreviewStore > another account doesn't find a preview by its share id",
    adapter: altered(PreviewStore, (store) => {
      const owners = new Map<string, AccountId>()
      return {
        ...store,
        commitReserve: (change) =>
          Effect.andThen(
            Effect.sync(() => owners.set(change.preview.shareId, change.preview.accountId)),
            store.commitReserve(change)
          ),
        findByShareId: (account, shareId) => store.findByShareId(owners.get(shareId) ?? account, shareId)
      }
    })
  },
  {
    fault: "bills a finalize that is a conflict",
    caughtBy:
      "PreviewStore > a second finalize of a preview is a conflict that neither moves its bytes nor bills it again",
    adapter: altered(PreviewStore, (store) => {
      const conflicts = new Set<AccountId>()
      return {
        ...store,
        commitFinalize: (change) =>
          Effect.tapErrorTag(store.commitFinalize(change), "Conflict", () =>
            Effect.sync(() => change.billed && conflicts.add(change.preview.accountId))
          ),
        usage: (account) =>
          Effect.map(store.usage(account), (all) =>
            conflicts.has(account) ? [...all, { month: "2026-05", billedTestRuns: 1 }] : all
          )
      }
    })
  },
  {
    fault: "bills what isn't billed",
    caughtBy: "PreviewStore > usage counts only the account's own billed previews",
    adapter: altered(PreviewStore, (store) => ({
      ...store,
      commitFinalize: (change) => store.commitFinalize({ ...change, billed: true })
    }))
  },
  {
    fault: "counts months by the clock on the wall",
    caughtBy:
      "PreviewStore > usage is counted by the UTC month of the finalize, latest month first, without empty months",
    adapter: altered(PreviewStore, (store) => ({
      ...store,
      commitFinalize: ({ billed, preview }) => {
        const { finalizedAt } = preview
        const local = finalizedAt && DateTime.add(finalizedAt, { hours: 2 })
        return store.commitFinalize({ billed, preview: local ? { ...preview, finalizedAt: local } : preview })
      }
    }))
  },
  {
    fault: "bills in the month that the engine's clock says",
    caughtBy: "PreviewStore > a preview uses the times that are given and not the engine's clock",
    adapter: altered(PreviewStore, (store) => ({
      ...store,
      usage: Effect.fnUntraced(function* (account) {
        const month = DateTime.formatIso(yield* DateTime.now).slice(0, 7)
        return (yield* store.usage(account)).map((usage) => ({ ...usage, month }))
      })
    }))
  },
  {
    fault: "lets two finalize one preview at once",
    caughtBy: "PreviewStore > exactly one of many concurrent finalizes of a preview is committed and billed",
    adapter: altered(PreviewStore, (store) => ({
      ...store,
      commitFinalize: Effect.fnUntraced(function* (change) {
        const before = yield* store.findByToken(change.preview.tokenHash)
        const isOpen = Option.isSome(before) && before.value.finalizedAt === undefined
        yield* Effect.yieldNow
        yield* isOpen ? Effect.ignore(store.commitFinalize(change)) : store.commitFinalize(change)
      })
    }))
  },
  {
    fault: "bills a moment after the finalize",
    caughtBy: "PreviewStore > a finalize that is interrupted at any moment is committed and billed, or neither",
    adapter: altered(PreviewStore, (store) => {
      const unbilled = new Set<AccountId>()
      return {
        ...store,
        commitFinalize: Effect.fnUntraced(function* (change) {
          yield* store.commitFinalize(change)
          unbilled.add(change.preview.accountId)
          yield* Effect.yieldNow
          unbilled.delete(change.preview.accountId)
        }),
        usage: (account) => (unbilled.has(account) ? Effect.succeed([]) : store.usage(account))
      }
    })
  },
  {
    fault: "takes what a finalize says for the declaration of a preview too",
    caughtBy:
      "PreviewStore > a finalize sets the time and the location and changes nothing else of this or another preview",
    adapter: altered(PreviewStore, (store) => {
      const said = new Map<string, Preview>()
      return {
        ...store,
        commitFinalize: (change) =>
          Effect.tap(store.commitFinalize(change), () =>
            Effect.sync(() => said.set(change.preview.tokenHash, change.preview))
          ),
        findByToken: (token) =>
          Effect.map(
            store.findByToken(token),
            Option.map((found) => said.get(token) ?? found)
          )
      }
    })
  },
  {
    fault: "hides the previews of a repository that is not linked any more",
    caughtBy: "PreviewStore > a preview whose repository was unlinked is found as before",
    adapter: Layer.flatMap(layerMetadata, (memory) => {
      const previews = Context.get(memory, PreviewStore)
      const repositories = Context.get(memory, RepositoryStore)
      const unlinked = new Set<string | undefined>()
      return Layer.succeedContext(
        memory.pipe(
          Context.add(RepositoryStore, {
            ...repositories,
            unlink: Effect.fnUntraced(function* (account, key) {
              const found = yield* repositories.find(account, key)
              if (Option.isSome(found)) unlinked.add(found.value.id)
              return yield* repositories.unlink(account, key)
            })
          }),
          Context.add(PreviewStore, {
            ...previews,
            findByToken: (token) =>
              Effect.map(
                previews.findByToken(token),
                Option.filter(({ repositoryId }) => !unlinked.has(repositoryId))
              )
          })
        )
      )
    })
  }
]
