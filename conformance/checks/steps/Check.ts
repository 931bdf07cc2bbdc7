import { Data, Effect } from "effect"
import type { Config } from "../../config/Config.ts"
import type { Dialect } from "../../dialect/Dialect.ts"
import type { Violation } from "../../dialect/Violation.ts"
import type { NoAnswer, Session } from "../../session/Session.ts"

/** What an implementation may claim to be. */
export type Profile = "builds" | "previews" | "testRuns"

/** The check can't be made against this target as it is configured. A skipped MUST never counts as passed. */
export class Skipped extends Data.TaggedError("Skipped")<{ readonly reason: string }> {}

/**
 * What is sent, and what must come back. A check makes everything that it needs and depends on no other, so it can be run
 * alone. Its requests follow from the run and its id, so it can be judged again from a recording.
 */
export interface Check {
  /** Never changes and is never given to another check. Its first part names the profile. */
  readonly id: string
  readonly profile: Profile
  /** What the target does, in one sentence: "A build finalized by another account's key is refused and stays as it was." */
  readonly title: string
  /** About how many requests it makes and how many bytes it uploads, for `--plan`. */
  readonly cost: { readonly requests: number; readonly bytes: number }
  /** Whether it creates nothing on the target. */
  readonly readOnly?: boolean
  /** When the config supplies all of these, the check reads them and creates nothing on the target. */
  readonly supplied?: ReadonlyArray<keyof Config["supplied"]>
  readonly run: Effect.Effect<void, Violation | Skipped | NoAnswer, Session | Dialect>
}

/** Checks by their ids. `run` is a generator as for `Effect.gen`. */
export type CheckTable = Readonly<
  Record<
    string,
    Omit<Check, "id" | "profile" | "run"> & {
      readonly run: () => Generator<
        Effect.Effect<unknown, Violation | Skipped | NoAnswer, Session | Dialect>,
        void,
        never
      >
    }
  >
>

const profiles: Readonly<Record<string, Profile>> = { builds: "builds", previews: "previews", runs: "testRuns" }

const profileOf = (id: string): Profile => {
  const profile = profiles[id.split(".")[0] ?? ""]
  if (profile === undefined) throw new Error(`The id ${id} names no profile`)
  return profile
}

/** The checks of tables, in the order of the tables. */
export const toChecks = (...tables: ReadonlyArray<CheckTable>): ReadonlyArray<Check> =>
  tables
    .flatMap((table) => Object.entries(table))
    .map(([id, { run, ...about }]) => ({ id, profile: profileOf(id), ...about, run: Effect.gen(run) }))
