import { Effect, Schema, type Duration } from "effect"
import type { JobName, Swept } from "../../model/Sweep.ts"
import type { WriteFailure } from "../../ports/WriteFailure.ts"

/** How a step runs. */
export interface StepOptions {
  /** Reports what would be deleted, and changes nothing. */
  readonly dryRun: boolean
  /** Deletes orphaned objects even if most objects are unknown (`isForeign`). */
  readonly foreign: boolean
}

/** A finished step: what it deleted, and the cursor of the next step, if there is more to do. */
export interface JobStep<Cursor> {
  readonly swept: ReadonlyArray<Swept>
  readonly next?: Cursor | undefined
}

/**
 * A job that deletes in small steps. Each step is correct by itself, so any host can stop after a step and any other can continue
 * from its cursor.
 */
export interface SweepJob<Cursor> {
  /** The key of its lease and checkpoint. */
  readonly name: JobName
  /** The least time between two runs, if longer than the interval of the settings. */
  readonly interval?: Duration.Duration
  readonly cursor: Schema.Codec<Cursor, unknown>
  /** The cursor of a run's first step. */
  readonly first: Cursor
  readonly step: (cursor: Cursor, options: StepOptions) => Effect.Effect<JobStep<Cursor>, WriteFailure>
}

/** A job whose cursor is text, as checkpoints store it. */
export interface StoredSweepJob extends Omit<SweepJob<string | undefined>, "cursor" | "first"> {}

/** Encodes a job's cursor as JSON. A text that isn't such a cursor starts from the beginning. */
export const withStoredCursor = <Cursor>({ cursor, first, step, ...job }: SweepJob<Cursor>): StoredSweepJob => {
  const json = Schema.fromJsonString(cursor)
  const decode = Schema.decodeEffect(json)
  const encode = Schema.encodeSync(json)
  return {
    ...job,
    step: Effect.fnUntraced(function* (text, options) {
      const from = text === undefined ? first : yield* Effect.orElseSucceed(decode(text), () => first)
      const { next, swept } = yield* step(from, options)
      return { swept: swept.filter(({ count }) => count > 0), ...(next === undefined ? {} : { next: encode(next) }) }
    })
  }
}
