import { DateTime, Effect, Schema } from "effect"
import { Removals } from "../Removals.ts"
import { Settings } from "../Settings.ts"
import { makePendingRemovals } from "./pendingRemovals.ts"
import type { SweepJob } from "./SweepJob.ts"
import { makeSweepTime } from "./sweepTime.ts"

/** Needs no position: each step claims the removals that are due. */
const Cursor = Schema.Struct({})

/** Deletes the objects of deleted, expired and erased uploads, as far as that wasn't done at once. */
export const makeDeleteObjects = Effect.gen(function* () {
  const removals = yield* Removals
  const pendingRemovals = yield* makePendingRemovals
  const time = yield* makeSweepTime
  const { batch } = (yield* Settings).sweep

  const job: SweepJob<typeof Cursor.Type> = {
    name: "delete_objects",
    cursor: Cursor,
    first: {},
    step: Effect.fnUntraced(function* (cursor, { dryRun }) {
      if (dryRun) {
        const now = yield* time
        const due = (yield* pendingRemovals).filter(({ dueAt }) => DateTime.isLessThanOrEqualTo(dueAt, now))
        return { swept: [{ rule: "removals", count: due.length, bytes: 0 }] }
      }
      const { bytes, claimed, objects } = yield* removals.sweep(batch)
      return { swept: [{ rule: "removals", count: objects, bytes }], next: claimed === 0 ? undefined : cursor }
    })
  }
  return job
})
