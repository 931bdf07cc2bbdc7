import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../../../core/model/Account.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { ShareLinkId } from "../../../core/model/ShareLink.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { isOpen } from "../../../core/rules/shareLinks.ts"
import type { MetadataPorts } from "../parts/MetadataPorts.ts"
import { altered } from "./Mutant.ts"
import type { Mutant } from "./Mutant.ts"

type List = ShareLinkStore["Service"]["list"]

const listing = (otherwise: (list: List) => List) =>
  altered(ShareLinkStore, (store) => ({ ...store, list: otherwise(store.list) }))

const listCase =
  "ShareLinkStore > the list holds the account's links to that one thing, newest first, behind one, and no more than asked"

/** Joins the pages of several lists into one page. */
const together = (list: List, queries: ReadonlyArray<Parameters<List>[0]>, limit: number) =>
  Effect.map(Effect.forEach(queries, list), (lists) =>
    lists
      .flat()
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  )

export const shareLinkMutants: ReadonlyArray<Mutant<MetadataPorts>> = [
  {
    fault: "doesn't find links that are over",
    caughtBy: "ShareLinkStore > a link is found by hash and by id with every field unchanged, expired or not",
    adapter: altered(ShareLinkStore, (store) => ({
      ...store,
      findByHash: (hash) =>
        Effect.gen(function* () {
          const now = yield* DateTime.now
          return Option.filter(yield* store.findByHash(hash), (link) => isOpen(link, now))
        })
    }))
  },
  {
    fault: "finds a link by its hash without regard to case",
    caughtBy: "ShareLinkStore > an unknown hash or id finds nothing",
    adapter: altered(ShareLinkStore, (store) => ({
      ...store,
      findByHash: (hash) => store.findByHash(hash.toLowerCase())
    }))
  },
  {
    fault: "takes a preview and a run of the same id for one thing",
    caughtBy: listCase,
    adapter: listing((list) => (query) => {
      const id = "preview" in query.shared ? query.shared.preview : query.shared.run
      const both = [{ preview: ShareId.make(id) }, { run: TestRunId.make(id) }]
      return together(
        list,
        both.map((shared) => ({ ...query, shared })),
        query.limit
      )
    })
  },
  {
    fault: "forgets the account of the links in a list",
    caughtBy: listCase,
    adapter: altered(ShareLinkStore, (store) => {
      const accounts = new Set<AccountId>()
      return {
        ...store,
        insert: (link) =>
          Effect.andThen(
            Effect.sync(() => accounts.add(link.accountId)),
            store.insert(link)
          ),
        list: (query) =>
          together(
            store.list,
            [...accounts].map((account) => ({ ...query, account })),
            query.limit
          )
      }
    })
  },
  {
    fault: "lists the links alone that were not revoked",
    caughtBy: listCase,
    adapter: listing(
      (list) => (query) => Effect.map(list(query), (links) => links.filter(({ revokedAt }) => revokedAt === undefined))
    )
  },
  {
    fault: "lists the oldest links first",
    caughtBy: listCase,
    adapter: listing((list) => (query) => Effect.map(list(query), (links) => links.toReversed()))
  },
  {
    fault: "lists one link more than was asked for",
    caughtBy: listCase,
    adapter: listing((list) => (query) => list({ ...query, limit: query.limit + 1 }))
  },
  {
    fault: "meets the link at which a page ended again",
    caughtBy: listCase,
    adapter: listing(
      (list) => (query) =>
        list({ ...query, after: query.after === undefined ? undefined : ShareLinkId.make(`${query.after}~`) })
    )
  },
  {
    fault: "answers the revocation that was asked for, and not the one that stands",
    caughtBy: "ShareLinkStore > a second revocation doesn't change the first",
    adapter: altered(ShareLinkStore, (store) => ({
      ...store,
      revoke: (account, id, at) =>
        Effect.map(
          store.revoke(account, id, at),
          Option.map((link) => ({ ...link, revokedAt: at }))
        )
    }))
  },
  {
    fault: "lets two revoke one link at once",
    caughtBy: "ShareLinkStore > many concurrent revocations all answer the one that is stored",
    adapter: altered(ShareLinkStore, (store) => ({
      ...store,
      revoke: Effect.fnUntraced(function* (account, id, at) {
        const found = Option.filter(yield* store.find(id), ({ accountId }) => accountId === account)
        if (Option.isNone(found) || found.value.revokedAt !== undefined) return found
        yield* Effect.yieldNow
        const revoked = { ...found.value, revokedAt: at }
        yield* store.insert(revoked)
        return Option.some(revoked)
      })
    }))
  },
  {
    fault: "forgets the account of a link that is revoked",
    caughtBy: "ShareLinkStore > another account revokes nothing, and neither does an unknown link",
    adapter: altered(ShareLinkStore, (store) => ({
      ...store,
      revoke: Effect.fnUntraced(function* (account, id, at) {
        const owner = Option.map(yield* store.find(id), ({ accountId }) => accountId)
        return yield* store.revoke(
          Option.getOrElse(owner, () => account),
          id,
          at
        )
      })
    }))
  }
]
