import { DateTime, Effect, Option } from "effect"
import { Conflict } from "../../core/ports/Conflict.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { isFirst, keepAnswer } from "./idempotency.ts"
import { post } from "./outbox.ts"
import { hasRoom } from "./reservations.ts"
import { byText } from "./state.ts"
import type { State } from "./state.ts"

export const previewStore = (state: State) =>
  PreviewStore.of({
    findByToken: (tokenHash) =>
      Effect.sync(() => Option.fromUndefinedOr(state.previews.values().find((one) => one.tokenHash === tokenHash))),
    findByShareId: (account, shareId) =>
      Effect.sync(() => {
        const preview = state.previews.get(shareId)
        return preview?.accountId === account ? Option.some(preview) : Option.none()
      }),
    commitReserve: ({ once, openBelow, preview }) =>
      Effect.suspend(() => {
        if (!isFirst(state, once) || !hasRoom(state, preview, openBelow)) return Effect.fail(new Conflict())
        state.previews.set(preview.shareId, preview)
        keepAnswer(state, once)
        return Effect.void
      }),
    commitFinalize: ({ billed, event, preview }) =>
      Effect.suspend(() => {
        const stored = state.previews.get(preview.shareId)
        const { finalizedAt, hostedPrefix } = preview
        if (stored === undefined || stored.finalizedAt !== undefined) return Effect.fail(new Conflict())
        if (finalizedAt === undefined || hostedPrefix === undefined)
          return Effect.die("a preview that is not finalized")
        state.previews.set(preview.shareId, { ...stored, finalizedAt, hostedPrefix })
        if (billed) state.usage.push({ accountId: stored.accountId, at: finalizedAt })
        post(state, event)
        return Effect.void
      }),
    usage: (account) =>
      Effect.sync(() => {
        const months = new Map<string, number>()
        for (const { accountId, at } of state.usage) {
          const month = DateTime.formatIso(at).slice(0, 7)
          if (accountId === account) months.set(month, (months.get(month) ?? 0) + 1)
        }
        return Array.from(months, ([month, billedTestRuns]) => ({ month, billedTestRuns })).toSorted((a, b) =>
          byText(b.month, a.month)
        )
      })
  })
