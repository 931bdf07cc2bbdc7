import { Schema, type DateTime } from "effect"
import type { AccountId } from "./Account.ts"
import type { RemovedUpload } from "./Reservation.ts"

/**
 * What goes by itself some time after it has ended:
 *
 * | rule | what goes | when it ended |
 * | --- | --- | --- |
 * | `abandoned_builds` | a build that was never ready, and its reservations | its last reservation's end |
 * | `abandoned_uploads` | a reservation of a ready build that was never finalized | its end |
 * | `superseded_uploads` | an upload that its build showed once | when the upload was finalized that the build shows now |
 * | `abandoned_previews` | a preview that was never finalized | its reservation's end |
 * | `answers` | an answer kept for an `Idempotency-Key` | its end |
 * | `sessions` | a session of the viewer | its end |
 * | `share_links` | a share link | its end or revocation, whichever came first |
 * | `used_tokens` | that an identity token was exchanged | the token's end |
 * | `exchanged_keys` | an API key that lived no longer than an hour, and its sessions | its end |
 */
export const EndedRule = Schema.Literals([
  "abandoned_builds",
  "abandoned_uploads",
  "superseded_uploads",
  "abandoned_previews",
  "answers",
  "sessions",
  "share_links",
  "used_tokens",
  "exchanged_keys"
])
export type EndedRule = typeof EndedRule.Type

/** What goes by the rules of retention: previews and runs, ready builds, and what was billed. */
export const RetentionRule = Schema.Literals(["previews", "runs", "builds", "billed"])
export type RetentionRule = typeof RetentionRule.Type

/**
 * What may go, at the most: what ended at `until` or before, and of one account what was finalized, registered or billed at
 * `until` or before.
 *
 * Of `builds`, those go that were ready at `until` or before, and those of which `keep` ready builds of their branch and
 * platform were reserved later. Never goes the latest ready build of a branch and platform, nor one with a reservation that
 * is alive at `now`.
 *
 * Never goes what is kept (`keptAt`), nor a preview with a run that is kept.
 */
export type SweepOrder =
  | { readonly rule: EndedRule; readonly until: DateTime.Utc }
  | { readonly rule: Exclude<RetentionRule, "builds">; readonly account: AccountId; readonly until: DateTime.Utc }
  | {
      readonly rule: "builds"
      readonly account: AccountId
      readonly now: DateTime.Utc
      readonly until?: DateTime.Utc | undefined
      readonly keep?: number | undefined
    }

/** Something that goes: the id by which its store takes it, its reservations, below whose prefixes its bytes lie, and how many bytes it declared. */
export interface Due {
  readonly id: string
  readonly reservations: ReadonlyArray<RemovedUpload>
  readonly sizeBytes: number
}
