import { DateTime, Effect } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import { PreviewStore } from "../../../core/ports/PreviewStore.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"

export const previewMutants: MetadataFaults = {
  "another account doesn't find a preview by its share id": {
    "forgets the account when a preview is read by its share id": altered(PreviewStore, (store) => {
      const owners = new Map<string, AccountId>()
      return {
        commitReserve: (change) =>
          Effect.tap(store.commitReserve(change), () =>
            Effect.sync(() => owners.set(change.preview.shareId, change.preview.accountId))
          ),
        findByShareId: (account, shareId) => store.findByShareId(owners.get(shareId) ?? account, shareId)
      }
    })
  },
  "a second finalize of a preview is a conflict that neither moves its bytes nor bills it again": {
    "bills a finalize that is a conflict": altered(PreviewStore, (store) => {
      const conflicts = new Set<AccountId>()
      return {
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
  "usage is counted by the UTC month of the finalize, latest month first, without empty months": {
    "counts months by local time": altered(PreviewStore, (store) => ({
      commitFinalize: ({ billed, preview }) => {
        const { finalizedAt } = preview
        const local = finalizedAt && DateTime.add(finalizedAt, { hours: 2 })
        return store.commitFinalize({ billed, preview: local ? { ...preview, finalizedAt: local } : preview })
      }
    }))
  },
  "a preview uses the times that are given and not the engine's clock": {
    "bills in the month of the engine's clock": altered(PreviewStore, (store) => ({
      usage: Effect.fnUntraced(function* (account) {
        const month = DateTime.formatIso(yield* DateTime.now).slice(0, 7)
        return (yield* store.usage(account)).map((usage) => ({ ...usage, month }))
      })
    }))
  },
  "a finalize sets the time, the location and the digests and changes nothing else of this or another preview": {
    "forgets the digests of a finalized preview": altered(PreviewStore, (store) => ({
      commitFinalize: ({ preview: { digests: _digests, ...preview }, ...change }) =>
        store.commitFinalize({ ...change, preview })
    }))
  }
}
