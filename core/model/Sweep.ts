import { Schema, type DateTime } from "effect"
import type { AccountId } from "./Account.ts"
import { agedRules, endedRules } from "./MetadataRecord.ts"
import type { RemovedUpload } from "./Reservation.ts"

/**
 * What expires some time after its end:
 *
 * | rule | what expires | its end |
 * | --- | --- | --- |
 * | `abandoned_builds` | a build that was never ready, and its reservations | its last reservation's end |
 * | `abandoned_uploads` | a reservation of a ready build that was never finalized | its end |
 * | `superseded_uploads` | an upload that its build showed before | when the build's current upload was finalized |
 * | `abandoned_previews` | a preview that was never finalized | its reservation's end |
 * | `answers` | an answer stored for an `Idempotency-Key` | its end |
 * | `sessions` | a session of the viewer | its end |
 * | `share_links` | a share link | its end or revocation, whichever was first |
 * | `quarantines` | a quarantine of a test | its end |
 * | `used_tokens` | the record that an identity token was exchanged | the token's end |
 * | `exchanged_keys` | an API key that lived at most an hour, and its sessions | its end |
 */
export const EndedRule = Schema.Literals([
  "abandoned_builds",
  "abandoned_uploads",
  "superseded_uploads",
  "abandoned_previews",
  ...endedRules
])
export type EndedRule = typeof EndedRule.Type

/** What retention rules expire: previews, runs, histories of tests and CI runs, ready builds, and billing records. */
export const RetentionRule = Schema.Literals(["previews", "builds", ...agedRules])
export type RetentionRule = typeof RetentionRule.Type

/**
 * Selects what may be deleted: what ended at `until` or before; of one account, what was finalized, registered, run last, started or
 * billed at `until` or before.
 *
 * `builds` selects those that were ready at `until` or before, and those with `keep` ready builds of their branch, platform and app
 * reserved later. It never selects the latest ready build of a branch and platform, nor one whose reservation is open at `now`.
 *
 * Kept resources (`keptAt`) are never selected, nor is a preview with a kept run.
 */
export type ExpirySelection =
  | { readonly rule: EndedRule; readonly until: DateTime.Utc }
  | { readonly rule: Exclude<RetentionRule, "builds">; readonly account: AccountId; readonly until: DateTime.Utc }
  | {
      readonly rule: "builds"
      readonly account: AccountId
      readonly now: DateTime.Utc
      readonly until?: DateTime.Utc | undefined
      readonly keep?: number | undefined
    }

/** A selection by a retention rule of one account. */
export type RetentionSelection = Extract<ExpirySelection, { readonly account: AccountId }>

/** An item that a selection selects: its id, its reservations, whose prefixes hold its objects, and its declared bytes. */
export interface Due {
  readonly id: string
  readonly reservations: ReadonlyArray<RemovedUpload>
  readonly sizeBytes: number
}

/** The jobs of a sweep, in the order in which they run. */
export const JobName = Schema.Literals([
  "expire_reservations",
  "apply_retention",
  "erase_accounts",
  "delete_objects",
  "collect_garbage",
  "publish_ends"
])
export type JobName = typeof JobName.Type

/** What a step deleted, or would delete: by which rule, of which account, how many records or objects and how many bytes. */
export const Swept = Schema.Struct({
  rule: Schema.Union([EndedRule, RetentionRule, Schema.Literals(["audit", "erased", "removals", "orphans"])]),
  account: Schema.optionalKey(Schema.String),
  count: Schema.Int,
  bytes: Schema.Finite
})
export type Swept = typeof Swept.Type

/** The next step of a sweep: its job, and that job's cursor; without a cursor, the job's first step. */
export const SweepPosition = Schema.Struct({ job: JobName, cursor: Schema.optionalKey(Schema.String) })
export type SweepPosition = typeof SweepPosition.Type

/** A finished step of a sweep: what it deleted, and the next step, if there is one. */
export const SweepStep = Schema.Struct({ swept: Schema.Array(Swept), next: Schema.optionalKey(SweepPosition) })
export type SweepStep = typeof SweepStep.Type

/** The sums of several steps, by rule and account. */
export const sumSwept = (swept: Iterable<Swept>): ReadonlyArray<Swept> => {
  const sums = new Map<string, Swept>()
  for (const one of swept) {
    const key = `${one.rule} ${one.account ?? ""}`
    const sum = sums.get(key) ?? { ...one, count: 0, bytes: 0 }
    sums.set(key, { ...sum, count: sum.count + one.count, bytes: sum.bytes + one.bytes })
  }
  return [...sums.values()]
}
