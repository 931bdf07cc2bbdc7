import { DateTime, Effect } from "effect"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { ErasureStore } from "../../../core/ports/ErasureStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"

type Store = ErasureStore["Service"]

/** Takes by another step than it is given. */
const taking = (change: (step: Parameters<Store["eraseStep"]>[0]) => Parameters<Store["eraseStep"]>[0]) =>
  altered(ErasureStore, (store: Store) => ({ eraseStep: (step) => store.eraseStep(change(step)) }))

/** Remembers the account whose erasure was begun first. */
const first = () => {
  let account: Parameters<Store["begin"]>[0] | undefined
  return (begun: Parameters<Store["begin"]>[0]) => (account ??= begun)
}

export const erasureMutants: MetadataFaults = {
  "an account that is being erased is hidden from the first commit on, and no other is": {
    "lets the keys of an erased account in": altered(KeyStore, (keys) => {
      const known = new Map<string, Effect.Success<ReturnType<typeof keys.findByHash>>>()
      return {
        findByHash: (hash) =>
          Effect.map(keys.findByHash(hash), (found) => {
            if (found._tag === "Some") known.set(hash, found)
            return known.get(hash) ?? found
          })
      }
    })
  },
  "an account is erased once; its erasure is listed as it was begun": {
    "begins to erase an account again": altered(ErasureStore, (store: Store) => ({
      begin: (account, erasure) => Effect.as(store.begin(account, erasure), true)
    }))
  },
  "everything of an account is erased in steps, with removals of its bytes, and nothing of another": {
    "erases without removals": taking((step) => ({
      ...step,
      uploads: step.uploads.map((upload) => ({ ...upload, removals: [] }))
    })),
    "leaves the audit log of an erased account": altered(AuditLog, (log) => {
      const kept: Array<Effect.Success<ReturnType<typeof log.list>>[number]> = []
      return {
        list: (query) =>
          Effect.map(log.list(query), (found) => {
            kept.push(...found)
            return kept.filter(({ accountId }) => accountId === query.account).slice(0, query.limit)
          })
      }
    })
  },
  "records that are stored meanwhile are erased too, and the account itself from the settled instant": {
    "forgets an account before it is settled": taking((step) => ({
      ...step,
      now: DateTime.add(step.now, { days: 1 })
    }))
  },
  "an account is not deleted while an upload of it is left": {
    "reports that an account is erased while an upload remains": altered(ErasureStore, (store: Store) => ({
      eraseStep: (step) =>
        Effect.map(store.eraseStep(step), ({ erased, isOver }) => ({
          erased,
          isOver: isOver || Object.keys(erased).length === 0
        }))
    }))
  },
  "nothing is erased of an account that is not being erased, nor of another account": {
    "erases uploads of the account whose erasure began first": altered(ErasureStore, (store: Store) => {
      const whose = first()
      return {
        begin: (account, erasure) => Effect.suspend(() => store.begin((whose(account), account), erasure)),
        eraseStep: (step) => Effect.suspend(() => store.eraseStep({ ...step, account: whose(step.account) }))
      }
    }),
    "answers all uploads of an account": altered(ErasureStore, (store: Store) => ({
      uploads: ({ account }) => store.uploads({ account, limit: 1000 })
    }))
  }
}
