import { Effect, Option } from "effect"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import { sameShared } from "../../core/rules/shareLinks.ts"
import { post } from "./outbox.ts"
import { byText } from "./state.ts"
import type { State } from "./state.ts"

export const shareLinkStore = (state: State) =>
  ShareLinkStore.of({
    insert: (link, event) =>
      Effect.sync(() => {
        state.shareLinks.set(link.id, link)
        post(state, event)
      }),
    findByHash: (hash) =>
      Effect.sync(() => Option.fromUndefinedOr(state.shareLinks.values().find((link) => link.secretHash === hash))),
    find: (id) => Effect.sync(() => Option.fromUndefinedOr(state.shareLinks.get(id))),
    list: ({ account, after, limit, shared }) =>
      Effect.sync(() =>
        Array.from(state.shareLinks.values())
          .filter(
            (link) =>
              link.accountId === account && sameShared(link.shared, shared) && (after === undefined || link.id < after)
          )
          .toSorted((a, b) => byText(b.id, a.id))
          .slice(0, limit)
      ),
    revoke: (account, id, at, event) =>
      Effect.sync(() => {
        const link = state.shareLinks.get(id)
        if (link?.accountId !== account) return Option.none()
        if (link.revokedAt !== undefined) return Option.some(link)
        const revoked = { ...link, revokedAt: at }
        state.shareLinks.set(id, revoked)
        post(state, event)
        return Option.some(revoked)
      })
  })
