import { DateTime, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { isFirst, storeAnswer } from "./idempotency.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import { hasRoom, hostUpload, listUpload, unlistUpload } from "./reservations.ts"
import { storeRemovals } from "./removals.ts"
import type { Run } from "./run.ts"
import { endLinks } from "./shareLinks.ts"
import { previews, take, walk } from "./tables.ts"

/** Removes a preview and the links to it, and answers how many these were. */
export const removePreview = async (tx: Transaction, preview: Preview): Promise<number> => {
  await previews.remove(tx, preview.shareId)
  await tx.remove(keyOf("previewToken", preview.tokenHash))
  await tx.remove(keyOf("previewReservation", preview.id))
  if (preview.repositoryId !== undefined) await tx.remove(keyOf("previewsOf", preview.repositoryId, preview.id))
  await unlistUpload(tx, preview)
  return endLinks(tx, preview.accountId, { preview: preview.shareId })
}

/** The key under which it is counted that a preview was billed. */
const billedKeys = (account: AccountId, at: DateTime.Utc, id: string) => ({
  one: keyOf("billed", account, timeKey(at), id),
  month: keyOf("billedMonth", account, DateTime.formatIso(at).slice(0, 7))
})

/** Forgets that a preview was billed. */
export const unbill = async (tx: Transaction, account: AccountId, at: DateTime.Utc, id: string): Promise<void> => {
  const { month, one } = billedKeys(account, at, id)
  const left = Number((await tx.get(month)) ?? 0) - 1
  await (left > 0 ? tx.set(month, String(left)) : tx.remove(month))
  await tx.remove(one)
}

/** Stores a new preview, also one that is finalized. */
export const insertPreview = async (tx: Transaction, preview: Preview): Promise<void> => {
  const { id, repositoryId, shareId, tokenHash } = preview
  await previews.put(tx, preview, shareId)
  await tx.set(keyOf("previewToken", tokenHash), shareId)
  await tx.set(keyOf("previewReservation", id), shareId)
  if (repositoryId !== undefined) await tx.set(keyOf("previewsOf", repositoryId, id), shareId)
  await listUpload(tx, preview)
}

/** Counts that a preview was billed. */
export const bill = async (tx: Transaction, account: AccountId, at: DateTime.Utc, id: string): Promise<void> => {
  const { month, one } = billedKeys(account, at, id)
  await tx.set(month, String(Number((await tx.get(month)) ?? 0) + 1))
  await tx.set(one, DateTime.formatIso(at))
}

export const previewStore = (run: Run) =>
  PreviewStore.of({
    findByToken: (tokenHash) =>
      run(async (tx) => {
        const shareId = await tx.get(keyOf("previewToken", tokenHash))
        return Option.fromUndefinedOr(shareId === undefined ? undefined : await previews.find(tx, shareId))
      }),
    findByShareId: (account, shareId) =>
      run(async (tx) => {
        const preview = await previews.find(tx, shareId)
        return preview?.accountId === account ? Option.some(preview) : Option.none()
      }),
    commitReserve: ({ once, preview, ...bounds }) =>
      run.commit(async (tx) => {
        if (!(await isFirst(tx, once)) || !(await hasRoom(tx, preview, bounds))) return false
        await insertPreview(tx, preview)
        await storeAnswer(tx, once)
        return true
      }),
    commitFinalize: ({ billed, preview, ...finalize }) =>
      run.commit(async (tx) => {
        const hosted = await hostUpload(tx, await previews.find(tx, preview.shareId), preview, finalize)
        if (hosted === undefined) return false
        await previews.put(tx, hosted, hosted.shareId)
        if (billed) await bill(tx, hosted.accountId, hosted.finalizedAt, hosted.id)
        return true
      }),
    commitDelete: ({ preview: { accountId, shareId }, removals }) =>
      run.commit(async (tx) => {
        const stored = await previews.find(tx, shareId)
        if (stored?.accountId !== accountId) return false
        await removePreview(tx, stored)
        await storeRemovals(tx, accountId, removals)
        return true
      }),
    usage: (account) =>
      run((tx) =>
        take(Infinity, walk(tx, { ...below("billedMonth", account), reverse: true }), async ({ key, value }) => ({
          month: key.slice(key.lastIndexOf("/") + 1),
          billedTestRuns: Number(value)
        }))
      )
  })
