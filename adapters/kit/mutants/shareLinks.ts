import { DateTime, Effect, Option } from "effect"
import { kindAndIdOf } from "../../../core/model/Resource.ts"
import { ShareId } from "../../../core/model/Preview.ts"
import { ShareLinkId } from "../../../core/model/ShareLink.ts"
import { TestRunId } from "../../../core/model/TestRun.ts"
import { ShareLinkStore } from "../../../core/ports/ShareLinkStore.ts"
import { isOpen } from "../../../core/rules/shareLinks.ts"
import { altered, type MetadataFaults } from "./Mutant.ts"
import { caching } from "./twoHosts.ts"

type List = ShareLinkStore["Service"]["list"]

const listing = (otherwise: (query: Parameters<List>[0], list: List) => ReturnType<List>) =>
  altered(ShareLinkStore, ({ list }) => ({ list: (query) => otherwise(query, list) }))

/** Joins the pages of several lists into one page. */
const together = (list: List, queries: ReadonlyArray<Parameters<List>[0]>, limit: number) =>
  Effect.map(Effect.forEach(queries, list), (lists) =>
    lists
      .flat()
      .toSorted((a, b) => (a.id < b.id ? 1 : -1))
      .slice(0, limit)
  )

export const shareLinkMutants: MetadataFaults = {
  "a link that one host revokes is found revoked by another that has found it before": {
    "caches links by their hashes": caching(ShareLinkStore, ({ findByHash }, cached) => ({
      findByHash: cached(findByHash)
    }))
  },
  "a link is found by hash and by id with every field unchanged, expired or not": {
    "doesn't find links that are over": altered(ShareLinkStore, (store) => ({
      findByHash: Effect.fnUntraced(function* (hash) {
        const now = yield* DateTime.now
        return Option.filter(yield* store.findByHash(hash), (link) => isOpen(link, now))
      })
    }))
  },
  "an unknown hash or id finds nothing": {
    "finds a link by its hash without regard to case": altered(ShareLinkStore, (store) => ({
      findByHash: (hash) => store.findByHash(hash.toLowerCase())
    }))
  },
  "the list holds the account's links to that one resource, newest first, after one, within the limit": {
    "confuses a preview and a run of the same id": listing((query, list) => {
      const [, id] = kindAndIdOf(query.shared)
      const both = [{ preview: ShareId.make(id) }, { run: TestRunId.make(id) }]
      return together(
        list,
        both.map((shared) => ({ ...query, shared })),
        query.limit
      )
    }),
    "lists one link more than was asked for": listing((query, list) => list({ ...query, limit: query.limit + 1 })),
    "lists the link at which a page ended on the next page again": listing((query, list) =>
      list({ ...query, after: query.after === undefined ? undefined : ShareLinkId.make(`${query.after}~`) })
    )
  },
  "a second revocation doesn't change the first": {
    "answers a later revocation instead of the first": altered(ShareLinkStore, (store) => ({
      revoke: (account, id, at) =>
        Effect.map(
          store.revoke(account, id, at),
          Option.map((link) => ({ ...link, revokedAt: at }))
        )
    }))
  },
  "many concurrent revocations all answer the one that is stored": {
    "lets two revoke one link at once": altered(ShareLinkStore, (store) => ({
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
  "another account revokes nothing, and neither does an unknown link": {
    "forgets the account of a link that is revoked": altered(ShareLinkStore, (store) => ({
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
}
