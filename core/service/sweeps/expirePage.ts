import { Effect } from "effect"
import type { ExpirySelection, Swept } from "../../model/Sweep.ts"
import { SweepStore } from "../../ports/SweepStore.ts"
import { hasObjects } from "../../rules/sweeps.ts"
import { Removals } from "../Removals.ts"
import { Settings } from "../Settings.ts"

/** How many records without objects are deleted at once, per record with objects. */
export const recordBatchFactor = 10

/** Deletes one page of what a selection allows, or counts it in a dry run. */
export const makeExpirePage = Effect.gen(function* () {
  const store = yield* SweepStore
  const removals = yield* Removals
  const { batch } = (yield* Settings).sweep

  return Effect.fnUntraced(function* (selection: ExpirySelection, after: string | undefined, dryRun: boolean) {
    const limit = hasObjects(selection.rule) ? batch : recordBatchFactor * batch
    const { due, next } = yield* store.due(selection, { after, limit })
    const items = Effect.forEach(due, ({ id, reservations }) =>
      Effect.map(removals.of(reservations), (removals) => ({ id, removals }))
    )
    const expires = !dryRun && due.length > 0
    const expired = expires ? new Set(yield* store.expire(selection, yield* items)) : undefined
    const deleted = expired === undefined ? due : due.filter(({ id }) => expired.has(id))
    const bytes = deleted.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    const swept: Swept = { rule: selection.rule, count: deleted.length, bytes }
    return { swept, next }
  })
})
