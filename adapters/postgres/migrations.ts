/**
 * The schema as a list of steps. A step that is on `main` is never edited; changes are added as further steps.
 *
 * Texts that are ordered or indexed are compared by their bytes (`COLLATE "C"`), so the server's locale has no effect.
 * Names are looked up by their digest, see `digest.ts`.
 */
import { Layer } from "effect"
import { storedOnceSteps } from "./storedOnceSteps.ts"
import { metadataSteps, usageSteps } from "./usageSteps.ts"
import { migrate, type Step } from "./migrate.ts"

const byName: Record<string, ReadonlyArray<string>> = {
  "0001_accounts": [
    `CREATE TABLE accounts (
      id text COLLATE "C" PRIMARY KEY,
      name text NOT NULL,
      name_digest bytea NOT NULL CONSTRAINT accounts_name UNIQUE,
      created_at timestamptz NOT NULL
    )`,
    `CREATE TABLE api_keys (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      name text NOT NULL,
      hash text COLLATE "C" NOT NULL CONSTRAINT api_keys_hash UNIQUE,
      scopes text[] NOT NULL,
      created_at timestamptz NOT NULL,
      expires_at timestamptz,
      revoked_at timestamptz,
      last_used_at timestamptz
    )`,
    `CREATE INDEX api_keys_of_account ON api_keys (account_id, id)`
  ],
  "0002_repositories": [
    // One row for each account that ever linked a repository; `linked` marks the account that has it now.
    `CREATE TABLE repositories (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      owner text NOT NULL,
      repo text NOT NULL,
      key_digest bytea NOT NULL,
      linked_at timestamptz NOT NULL,
      linked boolean NOT NULL,
      CONSTRAINT repositories_key UNIQUE (account_id, key_digest)
    )`,
    `CREATE UNIQUE INDEX repositories_one_link ON repositories (key_digest) WHERE linked`
  ],
  "0003_builds": [
    `CREATE TABLE builds (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      repository_id text COLLATE "C" NOT NULL REFERENCES repositories (id),
      branch text NOT NULL,
      branch_digest bytea NOT NULL,
      platform text COLLATE "C" NOT NULL,
      commit_sha text COLLATE "C" NOT NULL,
      created_at timestamptz NOT NULL,
      shown text COLLATE "C" NOT NULL,
      ready_at timestamptz,
      ready_by text COLLATE "C",
      reserved_by text COLLATE "C" NOT NULL,
      reserved_until timestamptz NOT NULL,
      version integer NOT NULL,
      CONSTRAINT builds_identity UNIQUE (repository_id, branch_digest, platform, commit_sha)
    )`,
    `CREATE INDEX builds_by_ready ON builds (repository_id, branch_digest, platform, ready_by)
      WHERE ready_by IS NOT NULL`,
    `CREATE INDEX builds_by_end ON builds (repository_id, branch_digest, platform, reserved_until)`,
    `CREATE TABLE build_reservations (
      id text COLLATE "C" PRIMARY KEY,
      token_hash text COLLATE "C" NOT NULL CONSTRAINT build_reservations_token UNIQUE,
      account_id text COLLATE "C" NOT NULL,
      build_id text COLLATE "C" NOT NULL REFERENCES builds (id),
      reserved_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      finalized_at timestamptz,
      hosted_prefix text,
      declaration jsonb NOT NULL
    )`
  ],
  "0004_previews": [
    `CREATE TABLE previews (
      id text COLLATE "C" PRIMARY KEY,
      token_hash text COLLATE "C" NOT NULL CONSTRAINT previews_token UNIQUE,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      reserved_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      finalized_at timestamptz,
      hosted_prefix text,
      share_id text COLLATE "C" NOT NULL CONSTRAINT previews_share UNIQUE,
      repository_id text COLLATE "C" REFERENCES repositories (id),
      declaration jsonb NOT NULL
    )`,
    // Billing outlasts the preview, so this holds the preview's id without a reference to it.
    `CREATE TABLE billed_test_runs (
      preview_id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      billed_at timestamptz NOT NULL
    )`,
    `CREATE INDEX billed_test_runs_of_account ON billed_test_runs (account_id, billed_at)`
  ],
  "0005_test_runs": [
    // The caller may give any year as the start time, and no query uses it, so it is stored as text.
    `CREATE TABLE test_runs (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      repository_id text COLLATE "C" NOT NULL REFERENCES repositories (id),
      preview_share_id text COLLATE "C" NOT NULL REFERENCES previews (share_id),
      kind text COLLATE "C" NOT NULL,
      name text,
      prompt text,
      status text COLLATE "C" NOT NULL,
      branch text,
      branch_digest bytea,
      commit_sha text COLLATE "C",
      step_count integer,
      duration_ms integer,
      failure_message text,
      failed_step_index integer,
      source text,
      source_digest bytea,
      pr integer,
      started_at text COLLATE "C",
      created_at timestamptz NOT NULL
    )`,
    // A list reads one of these indexes from its end. Each filter has its own, so that few matching runs needn't be
    // searched for among all runs of a repository. With two filters, the planner chooses the one that fewer runs match.
    `CREATE INDEX test_runs_of_repository ON test_runs (repository_id, created_at, id)`,
    `CREATE INDEX test_runs_by_kind ON test_runs (repository_id, kind, created_at, id)`,
    `CREATE INDEX test_runs_by_status ON test_runs (repository_id, status, created_at, id)`,
    `CREATE INDEX test_runs_by_branch ON test_runs (repository_id, branch_digest, created_at, id)
      WHERE branch_digest IS NOT NULL`,
    `CREATE INDEX test_runs_by_source ON test_runs (repository_id, source_digest, created_at, id)
      WHERE source_digest IS NOT NULL`,
    `CREATE INDEX test_runs_by_pr ON test_runs (repository_id, pr, created_at, id) WHERE pr IS NOT NULL`
  ],
  "0006_idempotent_answers": [
    // The check refuses a commit that would replace an answer that has not expired, see `commits.ts`.
    `CREATE TABLE idempotent_answers (
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      key_hash text COLLATE "C" NOT NULL,
      request_hash text COLLATE "C" NOT NULL,
      sealed_answer text NOT NULL,
      expires_at timestamptz CONSTRAINT idempotent_answers_once CHECK (expires_at IS NOT NULL),
      PRIMARY KEY (account_id, key_hash)
    )`
  ],
  "0007_share_links": [
    `CREATE TABLE share_links (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      shared jsonb NOT NULL,
      secret_hash text COLLATE "C" NOT NULL CONSTRAINT share_links_secret UNIQUE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      revoked_at timestamptz
    )`,
    `CREATE INDEX share_links_of_shared ON share_links (account_id, shared, id)`
  ],
  "0008_overview": [
    // The branches of a repository are gathered from its last builds, which this index answers alone.
    `CREATE INDEX IF NOT EXISTS builds_of_repository ON builds (repository_id, id) INCLUDE (branch_digest, platform)`,
    `CREATE INDEX IF NOT EXISTS builds_of_platform ON builds (repository_id, platform, id)`,
    `CREATE INDEX IF NOT EXISTS builds_of_branch ON builds (repository_id, branch_digest, platform, id)`,
    `CREATE INDEX IF NOT EXISTS build_reservations_of_build ON build_reservations (build_id, id)`,
    `CREATE INDEX IF NOT EXISTS test_runs_of_preview ON test_runs (preview_share_id, created_at, id)`,
    // The longest beginning of a name that always fits into an index entry.
    `CREATE INDEX IF NOT EXISTS test_runs_by_name ON test_runs (
      repository_id, left(COALESCE(name, prompt), 256), created_at, id
    )`
  ],
  "0009_sessions": [
    `CREATE TABLE sessions (
      id text COLLATE "C" PRIMARY KEY,
      key_id text COLLATE "C" NOT NULL REFERENCES api_keys (id),
      secret_hash text COLLATE "C" NOT NULL CONSTRAINT sessions_secret UNIQUE,
      created_at timestamptz NOT NULL,
      expires_at timestamptz NOT NULL,
      address text,
      user_agent text
    )`,
    `CREATE INDEX sessions_of_key ON sessions (key_id, id)`,
    `CREATE INDEX sessions_by_end ON sessions (key_id, expires_at)`
  ],
  "0010_open_reservations": [
    // Bytes are whole numbers up to 2^53, which every driver reads as numbers.
    `ALTER TABLE build_reservations
      ADD COLUMN key_id text COLLATE "C", ADD COLUMN decompressed_bytes double precision`,
    `ALTER TABLE previews
      ADD COLUMN key_id text COLLATE "C", ADD COLUMN decompressed_bytes double precision`,
    `CREATE INDEX IF NOT EXISTS build_reservations_open ON build_reservations (account_id, expires_at)
      WHERE finalized_at IS NULL`,
    `CREATE INDEX IF NOT EXISTS previews_open ON previews (account_id, expires_at) WHERE finalized_at IS NULL`
  ],
  "0011_outbox": [
    // A place is a whole number, which every driver reads as a number. Two commits that change the same thing wait for each
    // other, so the places of its events are in the order of the commits.
    `CREATE SEQUENCE outbox_place`,
    `CREATE TABLE outbox (
      place double precision PRIMARY KEY DEFAULT nextval('outbox_place'),
      event_id text COLLATE "C" NOT NULL CONSTRAINT outbox_event UNIQUE,
      thing text COLLATE "C" NOT NULL,
      event jsonb NOT NULL,
      due_at timestamptz NOT NULL,
      attempts integer NOT NULL,
      claim text COLLATE "C",
      dead_at timestamptz,
      reason text
    )`,
    `CREATE INDEX outbox_of_thing ON outbox (thing, place) WHERE dead_at IS NULL`,
    `CREATE INDEX outbox_due ON outbox (due_at, place) WHERE dead_at IS NULL`,
    `CREATE INDEX outbox_dead ON outbox (event_id) WHERE dead_at IS NOT NULL`,
    `CREATE INDEX outbox_by_death ON outbox (dead_at) WHERE dead_at IS NOT NULL`
  ],
  "0012_test_run_details": [
    `ALTER TABLE test_runs ADD COLUMN device text, ADD COLUMN attempts text, ADD COLUMN file text, ADD COLUMN tags text`
  ],
  "0013_hosted_objects": [
    `CREATE TABLE hosted_objects (
      account_id text COLLATE "C" NOT NULL REFERENCES accounts (id),
      content_hash text COLLATE "C" NOT NULL,
      size_bytes double precision NOT NULL,
      object_key text COLLATE "C" NOT NULL,
      PRIMARY KEY (account_id, content_hash, size_bytes)
    )`
  ],
  "0014_webhooks": [
    `ALTER TABLE outbox ADD COLUMN webhook text COLLATE "C"`,
    `CREATE TABLE webhooks (
      id text COLLATE "C" PRIMARY KEY,
      url text NOT NULL,
      secret text NOT NULL,
      account_id text COLLATE "C",
      types jsonb NOT NULL,
      created_at timestamptz NOT NULL
    )`,
    // The place orders attempts of the same millisecond.
    `CREATE SEQUENCE delivery_attempt_place`,
    `CREATE TABLE delivery_attempts (
      place double precision PRIMARY KEY DEFAULT nextval('delivery_attempt_place'),
      at timestamptz NOT NULL,
      webhook text COLLATE "C" NOT NULL,
      event text COLLATE "C" NOT NULL,
      type text NOT NULL,
      attempt integer NOT NULL,
      status text NOT NULL,
      answer text NOT NULL
    )`,
    `CREATE INDEX delivery_attempts_by_time ON delivery_attempts (at, place)`,
    `CREATE INDEX delivery_attempts_of_webhook ON delivery_attempts (webhook, at, place)`
  ],
  "0015_repository_trusts": [
    `CREATE TABLE repository_trusts (
      repository_id text COLLATE "C" NOT NULL REFERENCES repositories (id),
      account_id text COLLATE "C" NOT NULL,
      issuer text COLLATE "C" NOT NULL,
      scopes text[] NOT NULL,
      created_at timestamptz NOT NULL,
      PRIMARY KEY (repository_id, issuer)
    )`,
    `CREATE INDEX repository_trusts_of_account ON repository_trusts (account_id)`,
    // A token that was exchanged, until it is over anyway.
    `CREATE TABLE used_tokens (token_hash text COLLATE "C" PRIMARY KEY, ends_at timestamptz NOT NULL)`,
    `CREATE INDEX used_tokens_by_end ON used_tokens (ends_at)`
  ],
  "0016_audit": [
    // No account is referred to, because the log outlives what it tells of.
    `CREATE TABLE audit_entries (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C",
      at timestamptz NOT NULL,
      action text NOT NULL,
      subject text NOT NULL,
      detail text,
      actor text NOT NULL,
      address text
    )`,
    `CREATE INDEX audit_entries_of_account ON audit_entries (account_id, id)`,
    `CREATE INDEX audit_entries_by_time ON audit_entries (at)`
  ],
  "0017_deletion": [
    // A run stays when its preview is deleted, so it holds the preview's share id without a reference to it.
    `ALTER TABLE test_runs DROP CONSTRAINT test_runs_preview_share_id_fkey`,
    // What was deleted belongs to no account's records any more, so this has no reference to the account.
    `CREATE TABLE removals (
      id text COLLATE "C" PRIMARY KEY,
      account_id text COLLATE "C" NOT NULL,
      prefix text COLLATE "C" NOT NULL,
      since timestamptz NOT NULL,
      settled_at timestamptz NOT NULL,
      due_at timestamptz NOT NULL
    )`,
    `CREATE INDEX removals_due ON removals (due_at, id)`,
    `CREATE INDEX IF NOT EXISTS hosted_objects_of_key ON hosted_objects (account_id, object_key)`
  ],
  "0018_rate_buckets": [
    // Nothing is lost when a crash empties it, so no taking waits for the disk. `last_end` is what the last taking
    // answered, whether or not it took anything.
    `CREATE UNLOGGED TABLE rate_buckets (
      bucket text COLLATE "C" PRIMARY KEY,
      full_at double precision NOT NULL,
      last_end double precision NOT NULL
    )`,
    `CREATE INDEX rate_buckets_by_end ON rate_buckets (full_at)`
  ],
  "0019_retention": [
    `ALTER TABLE builds ADD COLUMN kept_at timestamptz`,
    `ALTER TABLE previews ADD COLUMN kept_at timestamptz`,
    `ALTER TABLE test_runs ADD COLUMN kept_at timestamptz`,
    `ALTER TABLE build_reservations ADD COLUMN superseded_at timestamptz`,
    `UPDATE build_reservations SET superseded_at = (
      SELECT s.finalized_at FROM builds b JOIN build_reservations s ON s.id = b.shown WHERE b.id = build_reservations.build_id
    ) WHERE finalized_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM builds b WHERE b.id = build_reservations.build_id AND b.shown = build_reservations.id)`,
    // What is over lies at the beginning of these, so that a sweep reads no more than it takes.
    `CREATE INDEX IF NOT EXISTS builds_abandoned ON builds (reserved_until, id) WHERE ready_at IS NULL`,
    `CREATE INDEX IF NOT EXISTS build_reservations_over ON build_reservations (expires_at, id) WHERE finalized_at IS NULL`,
    `CREATE INDEX IF NOT EXISTS build_reservations_shown ON build_reservations (build_id)
      WHERE finalized_at IS NOT NULL AND superseded_at IS NULL`,
    `CREATE INDEX IF NOT EXISTS build_reservations_superseded ON build_reservations (superseded_at, id) WHERE superseded_at IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS previews_over ON previews (expires_at, share_id) WHERE finalized_at IS NULL`,
    `CREATE INDEX IF NOT EXISTS previews_by_age ON previews (account_id, finalized_at, share_id)
      WHERE finalized_at IS NOT NULL AND kept_at IS NULL`,
    `CREATE INDEX IF NOT EXISTS test_runs_by_age ON test_runs (account_id, created_at, id) WHERE kept_at IS NULL`,
    `CREATE INDEX IF NOT EXISTS test_runs_kept ON test_runs (preview_share_id) WHERE kept_at IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS idempotent_answers_over ON idempotent_answers (expires_at, account_id, key_hash)`,
    `CREATE INDEX IF NOT EXISTS sessions_over ON sessions (expires_at, id)`,
    `CREATE INDEX IF NOT EXISTS share_links_over ON share_links (COALESCE(revoked_at, expires_at), id)`,
    `CREATE INDEX IF NOT EXISTS api_keys_over ON api_keys (expires_at, id) WHERE expires_at IS NOT NULL`,
    `CREATE TABLE account_retention (
      account_id text COLLATE "C" PRIMARY KEY REFERENCES accounts (id),
      rules text NOT NULL
    )`,
    `CREATE TABLE sweep_turns (
      job text COLLATE "C" PRIMARY KEY,
      holder text COLLATE "C",
      held_until timestamptz,
      place text,
      done_at timestamptz
    )`
  ],
  "0020_account_usage": usageSteps,
  "0021_erasure": [
    `ALTER TABLE accounts ADD COLUMN erasure text`,
    // What is erased of an account, and exported, is read in the order of these.
    `CREATE INDEX IF NOT EXISTS accounts_erased ON accounts (id) WHERE erasure IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS builds_of_account ON builds (account_id, id)`,
    `CREATE INDEX IF NOT EXISTS build_reservations_of_account ON build_reservations (account_id, id)`,
    `CREATE INDEX IF NOT EXISTS previews_of_account ON previews (account_id, id)`,
    `CREATE INDEX IF NOT EXISTS previews_of_repository ON previews (repository_id) WHERE repository_id IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS test_runs_of_account ON test_runs (account_id, id)`,
    `CREATE INDEX IF NOT EXISTS webhooks_of_account ON webhooks (account_id) WHERE account_id IS NOT NULL`,
    `CREATE INDEX IF NOT EXISTS outbox_of_account ON outbox ((event ->> 'account'))`
  ],
  "0022_sweep_indexes": [
    // A sweep goes through an account's repositories one by one.
    `CREATE INDEX IF NOT EXISTS repositories_of_account ON repositories (account_id, id)`,
    // Of the keys that are over, a sweep takes only those that lived shortly, and need not read the others each time.
    `DROP INDEX IF EXISTS api_keys_over`,
    `CREATE INDEX IF NOT EXISTS api_keys_exchanged ON api_keys (expires_at, id)
      WHERE expires_at - created_at <= 3600000 * interval '1 millisecond'`
  ],
  "0023_ci_runs": [
    // What a source is before its first slash: one text for all attempts at a CI run. An entry of an index is limited in length.
    `CREATE INDEX IF NOT EXISTS test_runs_by_ci_run
      ON test_runs (repository_id, left(split_part(source, '/', 1), 256), created_at, id)
      WHERE source IS NOT NULL`
  ],
  "0024_trust_conditions": [
    `ALTER TABLE repository_trusts ADD COLUMN conditions text`,
    `ALTER TABLE repository_trusts ADD COLUMN pinned text`,
    `CREATE INDEX IF NOT EXISTS repository_trusts_of_issuer ON repository_trusts (issuer)`,
    // Unlinking a repository ends what it trusts.
    `DELETE FROM repository_trusts WHERE repository_id IN (SELECT id FROM repositories WHERE NOT linked)`
  ],
  "0025_digests": [
    `ALTER TABLE build_reservations ADD COLUMN digests text`,
    `ALTER TABLE previews ADD COLUMN digests text`
  ],
  "0026_webhook_states": [
    `ALTER TABLE webhooks ADD COLUMN failing_since timestamptz, ADD COLUMN disabled_at timestamptz`,
    // Also answers which webhooks have undelivered events, and which of a webhook's is due first.
    `DROP INDEX IF EXISTS outbox_due`,
    `CREATE INDEX IF NOT EXISTS outbox_due_of_webhook ON outbox (webhook, due_at, place) WHERE dead_at IS NULL`
  ],
  "0027_stored_once": storedOnceSteps,
  "0028_metadata_usage": metadataSteps
}

export const steps: ReadonlyArray<Step> = Object.entries(byName).map(([name, statements]) => ({
  id: Number(name.slice(0, 4)),
  name: name.slice(5),
  statements
}))

/**
 * Brings the database to the schema of this version. Several hosts may do this at the same time, and while older hosts
 * run.
 */
export const layerMigrations = Layer.effectDiscard(migrate(steps))
