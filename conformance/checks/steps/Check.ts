import { Data } from "effect"
import type { Effect } from "effect"
import type { Config } from "../../config/Config.ts"
import type { Dialect } from "../../dialect/Dialect.ts"
import type { Violation } from "../../dialect/Violation.ts"
import type { NoAnswer, Session } from "../../session/Session.ts"

/** What an implementation may claim to be. */
export type Profile = "builds" | "previews" | "testRuns"

/** The check can't be made against this target as it is configured. Of a MUST, that is never a pass. */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {}

/**
 * What is sent, and what must come back. A check makes everything that it needs and depends on no other, so it can be run
 * alone; its requests follow from the run and its id, so it can be judged again from a recording.
 */
export interface Check {
  /** Never changes and is never given to another check. */
  readonly id: string
  readonly profile: Profile
  /** What the target does, in one sentence: "A build finalized by another account's key stays unfinalized". */
  readonly title: string
  /** How many requests it makes and bytes it uploads, about, for `--plan`. */
  readonly cost: { readonly requests: number; readonly bytes: number }
  /** Makes nothing on the target. */
  readonly readOnly?: boolean
  /** Makes nothing on the target when the config supplies all of these, and reads them. */
  readonly supplied?: ReadonlyArray<keyof Config["supplied"]>
  readonly run: Effect.Effect<void, Violation | Skipped | NoAnswer, Session | Dialect>
}
