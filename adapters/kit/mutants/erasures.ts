import { DateTime, Effect } from "effect"
import { AuditLog } from "../../../core/ports/AuditLog.ts"
import { ErasureStore } from "../../../core/ports/ErasureStore.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { makeAccount } from "../parts/samples.ts"
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
    "hides an account only once it is taken": altered(ErasureStore, () => ({ begin: () => Effect.succeed(true) })),
    "lets the keys of an erased account in": altered(KeyStore, (keys) => {
      const known = new Map<string, Effect.Success<ReturnType<typeof keys.findByHash>>>()
      return {
        findByHash: (hash) =>
          Effect.map(keys.findByHash(hash), (found) => {
            if (found._tag === "Some") known.set(hash, found)
            return known.get(hash) ?? found
          })
      }
    }),
    "opens the links of an erased account": altered(ShareLinkStore, (links) => {
      const known = new Map<string, Effect.Success<ReturnType<typeof links.find>>>()
      return {
        find: (id) =>
          Effect.map(links.find(id), (found) => {
            if (found._tag === "Some") known.set(id, found)
            return known.get(id) ?? found
          })
      }
    })
  },
  "an account is erased once; its erasure is listed as it was begun": {
    "begins to erase an account again": altered(ErasureStore, (store: Store) => ({
      begin: (account, erasure) => Effect.as(store.begin(account, erasure), true)
    })),
    "forgets who erases an account": altered(ErasureStore, (store: Store) => ({
      begin: (account, erasure) => store.begin(account, { ...erasure, actor: { administrator: "somebody" } })
    })),
    "lists accounts that are being erased the wrong way round": altered(ErasureStore, (store: Store) => ({
      list: Effect.map(store.list, (all) => all.toReversed())
    }))
  },
  "everything of an account goes in steps, with removals of its bytes, and nothing of another": {
    "erases without removals": taking((step) => ({
      ...step,
      uploads: step.uploads.map((upload) => ({ ...upload, removals: [] }))
    })),
    "erases as much as there is in one step": taking((step) => ({ ...step, limit: 1000 })),
    "leaves the audit log of an erased account": altered(AuditLog, (log) => {
      const kept: Array<Effect.Success<ReturnType<typeof log.list>>[number]> = []
      return {
        list: (query) =>
          Effect.map(log.list(query), (found) => {
            kept.push(...found)
            return kept.filter(({ accountId }) => accountId === query.account).slice(0, query.limit)
          })
      }
    }),
    "forgets how much of an account is gone": altered(ErasureStore, (store: Store) => ({
      list: Effect.map(store.list, (all) => all.map(({ erasure, id }) => ({ id, erasure: { ...erasure, gone: {} } })))
    }))
  },
  "what is stored meanwhile goes too; the account itself when it is settled, at that instant too": {
    "forgets an account before it is settled": taking((step) => ({
      ...step,
      now: DateTime.add(step.now, { days: 1 })
    })),
    "forgets an account a moment after it is settled": taking((step) => ({
      ...step,
      now: DateTime.subtract(step.now, { milliseconds: 1 })
    }))
  },
  "an account isn't forgotten while an upload of it is left": {
    "says that an account is gone while an upload is left": altered(ErasureStore, (store: Store) => ({
      eraseStep: (step) =>
        Effect.map(store.eraseStep(step), ({ erased, isOver }) => ({
          erased,
          isOver: isOver || Object.keys(erased).length === 0
        }))
    }))
  },
  "nothing goes of an account that isn't being erased, nor of another than is named": {
    "erases an account that nobody erases": altered(ErasureStore, (store: Store) => ({
      uploads: ({ account, limit }) =>
        Effect.andThen(
          Effect.orDie(
            store.begin(account, {
              nameHash: "",
              at: makeAccount().createdAt,
              settledAt: makeAccount().createdAt,
              actor: { administrator: "nobody" },
              gone: {}
            })
          ),
          store.uploads({ account, limit })
        )
    })),
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
