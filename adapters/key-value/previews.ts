import { DateTime, Effect, Option } from "effect"
import { Conflict } from "../../core/ports/Conflict.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { isFirst, keepAnswer } from "./idempotency.ts"
import { below, keyOf, timeKey } from "./keys.ts"
import { hasRoom, keepHosted, listOpen, unlistOpen } from "./reservations.ts"
import { post } from "./outbox.ts"
import type { Run } from "./run.ts"
import { countFinalized } from "./usage.ts"
import { previews, take, walk } from "./tables.ts"

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
        await listOpen(tx, preview)
        await keepAnswer(tx, once)
        return true
      }).pipe(Effect.flatMap((isStored) => (isStored ? Effect.void : Effect.fail(new Conflict())))),
    commitFinalize: ({ billed, event, hosted, preview: { finalizedAt, hostedPrefix, shareId } }) =>
      finalizedAt === undefined || hostedPrefix === undefined
        ? Effect.die("a preview that is not finalized")
        : run(async (tx) => {
            const stored = await previews.find(tx, shareId)
            if (stored === undefined || stored.finalizedAt !== undefined) return false
            await previews.put(tx, { ...stored, finalizedAt, hostedPrefix }, shareId)
            await unlistOpen(tx, stored)
            await countFinalized(tx, stored, finalizedAt)
            await keepHosted(tx, hosted)
            await post(tx, event)
            if (!billed) return true
            const month = keyOf("billedMonth", stored.accountId, DateTime.formatIso(finalizedAt).slice(0, 7))
            await tx.set(month, String(Number((await tx.get(month)) ?? 0) + 1))
            await tx.set(keyOf("billed", stored.accountId, timeKey(finalizedAt), stored.id), "")
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
