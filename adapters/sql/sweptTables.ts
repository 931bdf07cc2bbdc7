/** Where each rule of a sweep finds what goes. `t` is the table of what goes, and `b` the build of an upload. */
import type { EndedRule, RetentionRule } from "../../core/model/Sweep.ts"

/** What of a table goes. */
export interface Swept {
  /** The table and its joins. All of these rows are locked during a deletion. */
  readonly from: string
  /** The columns that identify a row. */
  readonly key: readonly [string, ...Array<string>]
  /** When it ended, or was finalized, registered or billed. Behind it, the rows are ordered by their key. */
  readonly at: string
  /** What holds for every row that goes. */
  readonly is: string
  /** Its reservations, where there are any: the row itself, or those of a build. */
  readonly uploads?: "itself" | "of the build"
}

const uploadOfBuild = "build_reservations t JOIN builds b ON b.id = t.build_id"

/** What ended, and what was finalized, registered or billed; `builds` are read in another order: see `sweptBuilds.ts`. */
export const sweptTables: Readonly<Record<EndedRule | Exclude<RetentionRule, "builds">, Swept>> = {
  abandoned_builds: {
    from: "builds t",
    key: ["id"],
    at: "t.reserved_until",
    is: "t.ready_at IS NULL",
    uploads: "of the build"
  },
  abandoned_uploads: {
    from: uploadOfBuild,
    key: ["id"],
    at: "t.expires_at",
    is: "t.finalized_at IS NULL AND b.ready_at IS NOT NULL",
    uploads: "itself"
  },
  superseded_uploads: {
    from: uploadOfBuild,
    key: ["id"],
    at: "t.superseded_at",
    is: "t.superseded_at IS NOT NULL AND b.current_upload <> t.id",
    uploads: "itself"
  },
  abandoned_previews: {
    from: "previews t",
    key: ["share_id"],
    at: "t.expires_at",
    is: "t.finalized_at IS NULL",
    uploads: "itself"
  },
  answers: { from: "idempotency_keys t", key: ["account_id", "key_hash"], at: "t.expires_at", is: "true" },
  sessions: { from: "sessions t", key: ["id"], at: "t.expires_at", is: "true" },
  share_links: { from: "share_links t", key: ["id"], at: "COALESCE(t.revoked_at, t.expires_at)", is: "true" },
  used_tokens: { from: "used_tokens t", key: ["token_hash"], at: "t.expires_at", is: "true" },
  exchanged_keys: { from: "api_keys t", key: ["id"], at: "t.expires_at", is: "t.expires_at IS NOT NULL" },
  previews: {
    // A value is looked up for each row; of `NOT EXISTS`, a planner may make a join that reads every run that is kept.
    from: "previews t",
    key: ["share_id"],
    at: "t.finalized_at",
    is: `t.finalized_at IS NOT NULL AND t.kept_at IS NULL AND (
      SELECT 1 FROM test_runs r WHERE r.preview_share_id = t.share_id AND r.kept_at IS NOT NULL LIMIT 1
    ) IS NULL`,
    uploads: "itself"
  },
  runs: { from: "test_runs t", key: ["id"], at: "t.created_at", is: "t.kept_at IS NULL" },
  histories: { from: "test_histories t", key: ["test_id", "branch_digest"], at: "t.last_run_at", is: "true" },
  ci_runs: { from: "ci_runs t", key: ["repository_id", "ci_run"], at: "t.started_at", is: "true" },
  billed: { from: "billed_test_runs t", key: ["preview_id"], at: "t.billed_at", is: "true" }
}
