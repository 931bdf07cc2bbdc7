import { Context, Effect, Layer } from "effect"
import type { SweepPosition, SweepStep } from "../../model/Sweep.ts"
import type { WriteFailure } from "../../ports/WriteFailure.ts"
import { makeApplyRetention } from "./applyRetention.ts"
import { makeCollectGarbage } from "./collectGarbage.ts"
import { makeDeleteObjects } from "./deleteObjects.ts"
import { makeEraseAccounts } from "./eraseAccounts.ts"
import { makeExpireReservations } from "./expireReservations.ts"
import { withStoredCursor, type StoredSweepJob } from "./SweepJob.ts"

/** Deletes what expired, what retention rules no longer keep, and orphaned objects. @see docs/retention.md */
export class Sweeps extends Context.Service<
  Sweeps,
  {
    /** The jobs of a sweep, in the order in which they run. */
    readonly jobs: ReadonlyArray<StoredSweepJob>
    /**
     * One step of a sweep that runs every job in order: the first step, or the one at `from`, the `next` of the step before. A dry
     * run only reports what would be deleted. `foreign` deletes orphaned objects even if most are unknown (`isForeign`).
     */
    readonly step: (params: {
      readonly dryRun: boolean
      readonly foreign?: boolean | undefined
      readonly from?: SweepPosition | undefined
    }) => Effect.Effect<SweepStep, WriteFailure>
  }
>()("slipway/core/service/sweeps/Sweeps") {
  static readonly layer = Layer.effect(
    Sweeps,
    Effect.gen(function* () {
      const jobs = [
        withStoredCursor(yield* makeExpireReservations),
        withStoredCursor(yield* makeApplyRetention),
        withStoredCursor(yield* makeEraseAccounts),
        withStoredCursor(yield* makeDeleteObjects),
        withStoredCursor(yield* makeCollectGarbage)
      ]
      return Sweeps.of({
        jobs,
        step: Effect.fn("Sweeps.step")(function* ({ dryRun, foreign = false, from }) {
          const [job, following] = jobs.slice(from === undefined ? 0 : jobs.findIndex(({ name }) => name === from.job))
          if (job === undefined) return { swept: [] }
          const { next: cursor, swept } = yield* job.step(from?.cursor, { dryRun, foreign })
          if (cursor !== undefined) return { swept, next: { job: job.name, cursor } }
          return { swept, ...(following === undefined ? {} : { next: { job: following.name } }) }
        })
      })
    })
  )
}
