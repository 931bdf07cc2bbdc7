import { DateTime, Effect, Option } from "effect"
import type { AccountId } from "../../core/model/Account.ts"
import type { Preview } from "../../core/model/Preview.ts"
import { withoutUndefined } from "../../core/model/withoutUndefined.ts"
import { Conflict } from "../../core/ports/Conflict.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { recordEntry } from "./auditLog.ts"
import { isFirst, storeAnswer } from "./idempotency.ts"
import type { Transaction } from "./KeyValueStore.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import {
  canHost,
  hasRoom,
  storeHosted,
  listShared,
  listUpload,
  unlistOpen,
  unlistShared,
  unlistUpload
} from "./reservations.ts"
import { post } from "./outbox.ts"
import { storeRemovals } from "./removals.ts"
import type { Run } from "./run.ts"
import { endLinks } from "./shareLinks.ts"
import { countDeleted, countFinalized } from "./usage.ts"
import { previews, take, walk } from "./tables.ts"

/** Removes a preview and the links to it, and answers how many these were. */
export const removePreview = async (tx: Transaction, preview: Preview): Promise<number> => {
  await countDeleted(tx, preview)
  await unlistShared(tx, preview)
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
      run(async (tx) => {
        if (!(await isFirst(tx, once)) || !(await hasRoom(tx, preview, bounds))) return false
        await previews.put(tx, preview, preview.shareId)
        await tx.set(keyOf("previewToken", preview.tokenHash), preview.shareId)
        await tx.set(keyOf("previewReservation", preview.id), preview.shareId)
        if (preview.repositoryId !== undefined) {
          await tx.set(keyOf("previewsOf", preview.repositoryId, preview.id), preview.shareId)
        }
        await listUpload(tx, preview)
        await storeAnswer(tx, once)
        return true
      }).pipe(Effect.flatMap((isStored) => (isStored ? Effect.void : Effect.fail(new Conflict())))),
    commitFinalize: ({ billed, entry, event, hosted, lost, preview }) => {
      const { digests, finalizedAt, hostedPrefix, shareId, stored: how } = preview
      return finalizedAt === undefined || hostedPrefix === undefined
        ? Effect.die("a preview that is not finalized")
        : run(async (tx) => {
            const stored = await previews.find(tx, shareId)
            if (stored === undefined || stored.finalizedAt !== undefined) return false
            if (!(await canHost(tx, preview, { hosted, lost }))) return false
            const after = { ...stored, finalizedAt, hostedPrefix, ...withoutUndefined({ digests, stored: how }) }
            await previews.put(tx, after, shareId)
            await unlistOpen(tx, stored)
            await countFinalized(tx, after, finalizedAt)
            await listShared(tx, after)
            await storeHosted(tx, hosted)
            await post(tx, event)
            await recordEntry(tx, entry)
            if (!billed) return true
            const { month, one } = billedKeys(stored.accountId, finalizedAt, stored.id)
            await tx.set(month, String(Number((await tx.get(month)) ?? 0) + 1))
            await tx.set(one, DateTime.formatIso(finalizedAt))
            return true
          }).pipe(Effect.flatMap((isStored) => (isStored ? Effect.void : Effect.fail(new Conflict()))))
    },
    commitDelete: ({ preview: { accountId, shareId }, removals }) =>
      run(async (tx) => {
        const stored = await previews.find(tx, shareId)
        if (stored?.accountId !== accountId) return false
        await removePreview(tx, stored)
        await storeRemovals(tx, accountId, removals)
        return true
      }).pipe(Effect.flatMap((isStored) => (isStored ? Effect.void : Effect.fail(new Conflict())))),
    usage: (account) =>
      run((tx) =>
        take(Infinity, walk(tx, { ...below("billedMonth", account), reverse: true }), async ({ key, value }) => ({
          month: key.slice(key.lastIndexOf("/") + 1),
          billedTestRuns: Number(value)
        }))
      )
  })
