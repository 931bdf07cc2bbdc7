import { Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import { type Shared, sharedKindAndId, type ShareLink } from "../../core/model/Resource.ts"
import { ShareLinkStore } from "../../core/ports/ShareLinkStore.ts"
import type { Run, Transaction } from "./KeyValueStore.ts"
import { accounts, below, digest, keyOf, shareLinks, take, walk } from "./tables.ts"
import { post } from "./outbox.ts"

const listOf = (account: AccountId, shared: Shared): ReadonlyArray<string> => {
  const [kind, id] = sharedKindAndId(shared)
  return ["shareLinksOf", account, kind, kind === "badge" ? digest(id) : id]
}

/** Stores a new link. */
export const insertLink = async (tx: Transaction, link: ShareLink): Promise<void> => {
  await shareLinks.put(tx, link, link.id)
  await tx.set(keyOf("shareLinkHash", link.secretHash), link.id)
  await tx.set(keyOf(...listOf(link.accountId, link.shared), link.id), link.id)
}

/** Removes a link. */
export const removeLink = async (tx: Transaction, { accountId, id, secretHash, shared }: ShareLink): Promise<void> => {
  await shareLinks.remove(tx, id)
  await tx.remove(keyOf("shareLinkHash", secretHash))
  await tx.remove(keyOf(...listOf(accountId, shared), id))
}

/** Deletes every link of the account to a resource, and answers how many there were. */
export const endLinks = async (tx: Transaction, account: AccountId, shared: Shared): Promise<number> => {
  const list = listOf(account, shared)
  const links = await take(Infinity, walk(tx, { ...below(...list), reverse: false }), ({ value }) =>
    shareLinks.find(tx, value)
  )
  for (const link of links) await removeLink(tx, link)
  return links.length
}

/** The link, unless its account is being erased. */
const linkOfAccount = async (tx: Transaction, id: string): Promise<ShareLink | undefined> => {
  const link = await shareLinks.find(tx, id)
  return link && (await accounts.find(tx, link.accountId))?.erasure === undefined ? link : undefined
}

export const shareLinkStore = (run: Run) =>
  ShareLinkStore.of({
    insert: (link, event) =>
      run(async (tx) => {
        await insertLink(tx, link)
        await post(tx, event)
      }),
    findByHash: (hash) =>
      run(async (tx) => {
        const id = await tx.get(keyOf("shareLinkHash", hash))
        return Option.fromUndefinedOr(id === undefined ? undefined : await linkOfAccount(tx, id))
      }),
    find: (id) => run(async (tx) => Option.fromUndefinedOr(await linkOfAccount(tx, id))),
    list: ({ account, after, limit, shared }) =>
      run((tx) => {
        const list = listOf(account, shared)
        const { from, to } = below(...list)
        const bounds = { from, to: after === undefined ? to : keyOf(...list, after) }
        return take(limit, walk(tx, { ...bounds, reverse: true }), ({ value }) => shareLinks.find(tx, value))
      }),
    revoke: (account, id, at, event) =>
      run(async (tx) => {
        const link = await shareLinks.find(tx, id)
        if (link?.accountId !== account) return Option.none()
        if (link.revokedAt !== undefined) return Option.some(link)
        const revoked = { ...link, revokedAt: at }
        await shareLinks.put(tx, revoked, id)
        await post(tx, event)
        return Option.some(revoked)
      })
  })
