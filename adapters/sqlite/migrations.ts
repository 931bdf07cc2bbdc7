/**
 * The schema as a list of steps. A step that is on `main` is never edited; changes are added as further steps.
 *
 * Times are milliseconds; lists and declarations are JSON. Texts are compared by their bytes; names are looked up by
 * their digest, see `../sql/digest.ts`.
 */
import { Layer } from "effect"
import { stepsOf } from "../sql/Step.ts"
import { storedOnceSteps } from "./storedOnceSteps.ts"
import { metadataSteps, usageSteps } from "./usageSteps.ts"
import { migrate } from "./migrate.ts"

export const steps = stepsOf({
  "0001_accounts": [
    `CREATE TABLE accounts (
      id TEXT PRIMARY KEY,
      name TEXT NOT NULL,
      name_digest BLOB NOT NULL UNIQUE,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE api_keys (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      name TEXT NOT NULL,
      hash TEXT NOT NULL UNIQUE,
      scopes TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      expires_at INTEGER,
      revoked_at INTEGER,
      last_used_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX api_keys_of_account ON api_keys (account_id, id)`
  ],
  "0002_repositories": [
    // One row for each account that ever linked a repository; `linked` marks the account that has it now.
    `CREATE TABLE repositories (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      owner TEXT NOT NULL,
      repo TEXT NOT NULL,
      key_digest BLOB NOT NULL,
      linked_at INTEGER NOT NULL,
      linked INTEGER NOT NULL CHECK (linked IN (0, 1)),
      UNIQUE (account_id, key_digest)
    ) STRICT, WITHOUT ROWID`,
    `CREATE UNIQUE INDEX repositories_one_link ON repositories (key_digest) WHERE linked`
  ],
  "0003_builds": [
    `CREATE TABLE builds (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      repository_id TEXT NOT NULL REFERENCES repositories (id),
      branch TEXT NOT NULL,
      branch_digest BLOB NOT NULL,
      platform TEXT NOT NULL,
      commit_sha TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      shown TEXT NOT NULL,
      ready_at INTEGER,
      ready_by TEXT,
      reserved_by TEXT NOT NULL,
      reserved_until INTEGER NOT NULL,
      version INTEGER NOT NULL,
      UNIQUE (repository_id, branch_digest, platform, commit_sha)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX builds_by_ready ON builds (repository_id, branch_digest, platform, ready_by)
      WHERE ready_by IS NOT NULL`,
    `CREATE INDEX builds_by_end ON builds (repository_id, branch_digest, platform, reserved_until)`,
    `CREATE INDEX builds_of_repository ON builds (repository_id, id)`,
    `CREATE INDEX builds_of_platform ON builds (repository_id, platform, id)`,
    `CREATE INDEX builds_of_branch ON builds (repository_id, branch_digest, id)`,
    `CREATE INDEX builds_of_branch_and_platform ON builds (repository_id, branch_digest, platform, id)`,
    `CREATE TABLE build_reservations (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL UNIQUE,
      account_id TEXT NOT NULL,
      key_id TEXT,
      build_id TEXT NOT NULL REFERENCES builds (id),
      reserved_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      finalized_at INTEGER,
      hosted_prefix TEXT,
      decompressed_bytes INTEGER,
      declaration TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX build_reservations_of_build ON build_reservations (build_id, id)`,
    `CREATE INDEX build_reservations_open ON build_reservations (account_id, expires_at) WHERE finalized_at IS NULL`
  ],
  "0004_previews": [
    `CREATE TABLE previews (
      id TEXT PRIMARY KEY,
      token_hash TEXT NOT NULL UNIQUE,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      key_id TEXT,
      reserved_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      finalized_at INTEGER,
      hosted_prefix TEXT,
      decompressed_bytes INTEGER,
      share_id TEXT NOT NULL UNIQUE,
      repository_id TEXT REFERENCES repositories (id),
      declaration TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX previews_open ON previews (account_id, expires_at) WHERE finalized_at IS NULL`,
    // Billing outlasts the preview, so this holds the preview's id without a reference to it.
    `CREATE TABLE billed_test_runs (
      preview_id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      billed_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX billed_test_runs_of_account ON billed_test_runs (account_id, billed_at)`
  ],
  "0005_test_runs": [
    // The caller may give any year as the start time, and no query uses it, so it is stored as text.
    `CREATE TABLE test_runs (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      repository_id TEXT NOT NULL REFERENCES repositories (id),
      preview_share_id TEXT NOT NULL REFERENCES previews (share_id),
      kind TEXT NOT NULL,
      name TEXT,
      prompt TEXT,
      status TEXT NOT NULL,
      branch TEXT,
      branch_digest BLOB,
      commit_sha TEXT,
      step_count INTEGER,
      duration_ms INTEGER,
      failure_message TEXT,
      failed_step_index INTEGER,
      source TEXT,
      source_digest BLOB,
      pr INTEGER,
      started_at TEXT,
      created_at INTEGER NOT NULL
    ) STRICT`,
    // A list reads one of these indexes from its end. Each filter has its own, so that few matching runs needn't be
    // searched for among all runs of a repository.
    `CREATE INDEX test_runs_of_repository ON test_runs (repository_id, created_at, id)`,
    `CREATE INDEX test_runs_by_kind ON test_runs (repository_id, kind, created_at, id)`,
    `CREATE INDEX test_runs_by_status ON test_runs (repository_id, status, created_at, id)`,
    `CREATE INDEX test_runs_by_branch ON test_runs (repository_id, branch_digest, created_at, id)
      WHERE branch_digest IS NOT NULL`,
    `CREATE INDEX test_runs_by_source ON test_runs (repository_id, source_digest, created_at, id)
      WHERE source_digest IS NOT NULL`,
    `CREATE INDEX test_runs_by_pr ON test_runs (repository_id, pr, created_at, id) WHERE pr IS NOT NULL`,
    `CREATE INDEX test_runs_by_name ON test_runs (repository_id, COALESCE(name, prompt), created_at, id)`,
    `CREATE INDEX test_runs_of_preview ON test_runs (preview_share_id, created_at, id)`
  ],
  "0006_idempotent_answers": [
    `CREATE TABLE idempotent_answers (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      key_hash TEXT NOT NULL,
      request_hash TEXT NOT NULL,
      sealed_answer TEXT NOT NULL,
      expires_at INTEGER NOT NULL,
      PRIMARY KEY (account_id, key_hash)
    ) STRICT`
  ],
  "0007_share_links": [
    `CREATE TABLE share_links (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL REFERENCES accounts (id),
      shared TEXT NOT NULL,
      secret_hash TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      revoked_at INTEGER
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX share_links_of_shared ON share_links (account_id, shared, id)`
  ],
  "0008_sessions": [
    `CREATE TABLE sessions (
      id TEXT PRIMARY KEY,
      key_id TEXT NOT NULL REFERENCES api_keys (id),
      secret_hash TEXT NOT NULL UNIQUE,
      created_at INTEGER NOT NULL,
      expires_at INTEGER NOT NULL,
      address TEXT,
      user_agent TEXT
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX sessions_of_key ON sessions (key_id, id)`,
    `CREATE INDEX sessions_by_end ON sessions (key_id, expires_at)`
  ],
  "0009_outbox": [
    // A place is never given again, so the places of a thing's events are in the order of their commits.
    `CREATE TABLE outbox (
      place INTEGER PRIMARY KEY AUTOINCREMENT,
      event_id TEXT NOT NULL UNIQUE,
      thing TEXT NOT NULL,
      event TEXT NOT NULL,
      due_at INTEGER NOT NULL,
      attempts INTEGER NOT NULL,
      claim TEXT,
      dead_at INTEGER,
      reason TEXT
    ) STRICT`,
    `CREATE INDEX outbox_of_thing ON outbox (thing, place) WHERE dead_at IS NULL`,
    `CREATE INDEX outbox_due ON outbox (due_at, place) WHERE dead_at IS NULL`,
    `CREATE INDEX outbox_dead ON outbox (event_id) WHERE dead_at IS NOT NULL`,
    `CREATE INDEX outbox_by_death ON outbox (dead_at) WHERE dead_at IS NOT NULL`
  ],
  "0010_test_run_details": [
    `ALTER TABLE test_runs ADD COLUMN device TEXT`,
    `ALTER TABLE test_runs ADD COLUMN attempts TEXT`,
    `ALTER TABLE test_runs ADD COLUMN file TEXT`,
    `ALTER TABLE test_runs ADD COLUMN tags TEXT`
  ],
  "0011_hosted_objects": [
    `CREATE TABLE hosted_objects (
      account_id TEXT NOT NULL REFERENCES accounts (id),
      content_hash TEXT NOT NULL,
      size_bytes INTEGER NOT NULL,
      object_key TEXT NOT NULL,
      PRIMARY KEY (account_id, content_hash, size_bytes)
    ) STRICT, WITHOUT ROWID`
  ],
  "0012_webhooks": [
    `ALTER TABLE outbox ADD COLUMN webhook TEXT`,
    `CREATE TABLE webhooks (
      id TEXT PRIMARY KEY,
      url TEXT NOT NULL,
      secret TEXT NOT NULL,
      account_id TEXT,
      types TEXT NOT NULL,
      created_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    // The place orders attempts of the same millisecond.
    `CREATE TABLE delivery_attempts (
      place INTEGER PRIMARY KEY,
      at INTEGER NOT NULL,
      webhook TEXT NOT NULL,
      event TEXT NOT NULL,
      type TEXT NOT NULL,
      attempt INTEGER NOT NULL,
      status TEXT NOT NULL,
      answer TEXT NOT NULL
    ) STRICT`,
    `CREATE INDEX delivery_attempts_by_time ON delivery_attempts (at, place)`,
    `CREATE INDEX delivery_attempts_of_webhook ON delivery_attempts (webhook, at, place)`
  ],
  "0013_repository_trusts": [
    `CREATE TABLE repository_trusts (
      repository_id TEXT NOT NULL REFERENCES repositories (id),
      account_id TEXT NOT NULL,
      issuer TEXT NOT NULL,
      scopes TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (repository_id, issuer)
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX repository_trusts_of_account ON repository_trusts (account_id)`,
    // A token that was exchanged, until it is over anyway.
    `CREATE TABLE used_tokens (token_hash TEXT PRIMARY KEY, ends_at INTEGER NOT NULL) STRICT, WITHOUT ROWID`,
    `CREATE INDEX used_tokens_by_end ON used_tokens (ends_at)`
  ],
  "0014_audit": [
    // No account is referred to, because the log outlives what it tells of.
    `CREATE TABLE audit_entries (
      id TEXT PRIMARY KEY,
      account_id TEXT,
      at INTEGER NOT NULL,
      action TEXT NOT NULL,
      subject TEXT NOT NULL,
      detail TEXT,
      actor TEXT NOT NULL,
      address TEXT
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX audit_entries_of_account ON audit_entries (account_id, id)`,
    `CREATE INDEX audit_entries_by_time ON audit_entries (at)`
  ],
  "0015_deletion": [
    // A run stays when its preview is deleted, so it holds the preview's share id without a reference to it. SQLite can't drop
    // the reference but by making the table anew.
    `CREATE TABLE test_runs_of_any_preview (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      repository_id TEXT NOT NULL REFERENCES repositories (id),
      preview_share_id TEXT NOT NULL,
      kind TEXT NOT NULL,
      name TEXT,
      prompt TEXT,
      status TEXT NOT NULL,
      branch TEXT,
      branch_digest BLOB,
      commit_sha TEXT,
      step_count INTEGER,
      duration_ms INTEGER,
      failure_message TEXT,
      failed_step_index INTEGER,
      source TEXT,
      source_digest BLOB,
      pr INTEGER,
      started_at TEXT,
      created_at INTEGER NOT NULL,
      device TEXT,
      attempts TEXT,
      file TEXT,
      tags TEXT
    ) STRICT`,
    `INSERT INTO test_runs_of_any_preview SELECT * FROM test_runs`,
    `DROP TABLE test_runs`,
    `ALTER TABLE test_runs_of_any_preview RENAME TO test_runs`,
    `CREATE INDEX test_runs_of_repository ON test_runs (repository_id, created_at, id)`,
    `CREATE INDEX test_runs_by_kind ON test_runs (repository_id, kind, created_at, id)`,
    `CREATE INDEX test_runs_by_status ON test_runs (repository_id, status, created_at, id)`,
    `CREATE INDEX test_runs_by_branch ON test_runs (repository_id, branch_digest, created_at, id)
      WHERE branch_digest IS NOT NULL`,
    `CREATE INDEX test_runs_by_source ON test_runs (repository_id, source_digest, created_at, id)
      WHERE source_digest IS NOT NULL`,
    `CREATE INDEX test_runs_by_pr ON test_runs (repository_id, pr, created_at, id) WHERE pr IS NOT NULL`,
    `CREATE INDEX test_runs_by_name ON test_runs (repository_id, COALESCE(name, prompt), created_at, id)`,
    `CREATE INDEX test_runs_of_preview ON test_runs (preview_share_id, created_at, id)`,
    // What was deleted belongs to no account's records any more, so this has no reference to the account.
    `CREATE TABLE removals (
      id TEXT PRIMARY KEY,
      account_id TEXT NOT NULL,
      prefix TEXT NOT NULL,
      since INTEGER NOT NULL,
      settled_at INTEGER NOT NULL,
      due_at INTEGER NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX removals_due ON removals (due_at, id)`,
    `CREATE INDEX hosted_objects_of_key ON hosted_objects (account_id, object_key)`
  ],
  "0016_rate_buckets": [
    // `last_end` is what the last taking answered, whether or not it took anything.
    `CREATE TABLE rate_buckets (
      bucket TEXT PRIMARY KEY,
      full_at REAL NOT NULL,
      last_end REAL NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE INDEX rate_buckets_by_end ON rate_buckets (full_at)`
  ],
  "0017_retention": [
    `ALTER TABLE builds ADD COLUMN kept_at INTEGER`,
    `ALTER TABLE previews ADD COLUMN kept_at INTEGER`,
    `ALTER TABLE test_runs ADD COLUMN kept_at INTEGER`,
    `ALTER TABLE build_reservations ADD COLUMN superseded_at INTEGER`,
    `UPDATE build_reservations SET superseded_at = (
      SELECT s.finalized_at FROM builds b JOIN build_reservations s ON s.id = b.shown WHERE b.id = build_reservations.build_id
    ) WHERE finalized_at IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM builds b WHERE b.id = build_reservations.build_id AND b.shown = build_reservations.id)`,
    // What is over lies at the beginning of these, so that a sweep reads no more than it takes.
    `CREATE INDEX builds_abandoned ON builds (reserved_until, id) WHERE ready_at IS NULL`,
    `CREATE INDEX build_reservations_over ON build_reservations (expires_at, id) WHERE finalized_at IS NULL`,
    `CREATE INDEX build_reservations_shown ON build_reservations (build_id)
      WHERE finalized_at IS NOT NULL AND superseded_at IS NULL`,
    `CREATE INDEX build_reservations_superseded ON build_reservations (superseded_at, id) WHERE superseded_at IS NOT NULL`,
    `CREATE INDEX previews_over ON previews (expires_at, share_id) WHERE finalized_at IS NULL`,
    `CREATE INDEX previews_by_age ON previews (account_id, finalized_at, share_id)
      WHERE finalized_at IS NOT NULL AND kept_at IS NULL`,
    `CREATE INDEX test_runs_by_age ON test_runs (account_id, created_at, id) WHERE kept_at IS NULL`,
    `CREATE INDEX test_runs_kept ON test_runs (preview_share_id) WHERE kept_at IS NOT NULL`,
    `CREATE INDEX idempotent_answers_over ON idempotent_answers (expires_at, account_id, key_hash)`,
    `CREATE INDEX sessions_over ON sessions (expires_at, id)`,
    `CREATE INDEX share_links_over ON share_links (COALESCE(revoked_at, expires_at), id)`,
    `CREATE INDEX api_keys_over ON api_keys (expires_at, id) WHERE expires_at IS NOT NULL`,
    `CREATE TABLE account_retention (
      account_id TEXT PRIMARY KEY REFERENCES accounts (id),
      rules TEXT NOT NULL
    ) STRICT, WITHOUT ROWID`,
    `CREATE TABLE sweep_turns (
      job TEXT PRIMARY KEY,
      holder TEXT,
      held_until INTEGER,
      place TEXT,
      done_at INTEGER
    ) STRICT, WITHOUT ROWID`
  ],
  "0018_account_usage": usageSteps,
  "0019_erasure": [
    `ALTER TABLE accounts ADD COLUMN erasure TEXT`,
    // What is erased of an account, and exported, is read in the order of these.
    `CREATE INDEX accounts_erased ON accounts (id) WHERE erasure IS NOT NULL`,
    `CREATE INDEX builds_of_account ON builds (account_id, id)`,
    `CREATE INDEX build_reservations_of_account ON build_reservations (account_id, id)`,
    `CREATE INDEX previews_of_account ON previews (account_id, id)`,
    `CREATE INDEX previews_of_repository ON previews (repository_id) WHERE repository_id IS NOT NULL`,
    `CREATE INDEX test_runs_of_account ON test_runs (account_id, id)`,
    `CREATE INDEX webhooks_of_account ON webhooks (account_id) WHERE account_id IS NOT NULL`,
    `CREATE INDEX outbox_of_account ON outbox ((event ->> 'account'))`
  ],
  "0020_sweep_indexes": [
    // A sweep goes through an account's repositories one by one.
    `CREATE INDEX repositories_of_account ON repositories (account_id, id)`,
    // Of the keys that are over, a sweep takes only those that lived shortly, and need not read the others each time.
    `DROP INDEX api_keys_over`,
    `CREATE INDEX api_keys_exchanged ON api_keys (expires_at, id) WHERE expires_at - created_at <= 3600000`
  ],
  "0021_ci_runs": [
    // What a source is before its first slash: one text for all attempts at a CI run.
    `CREATE INDEX test_runs_by_ci_run
      ON test_runs (repository_id, substr(source, 1, instr(source || '/', '/') - 1), created_at, id)
      WHERE source IS NOT NULL`
  ],
  "0022_trust_conditions": [
    `ALTER TABLE repository_trusts ADD COLUMN conditions TEXT`,
    `ALTER TABLE repository_trusts ADD COLUMN pinned TEXT`,
    `CREATE INDEX repository_trusts_of_issuer ON repository_trusts (issuer)`,
    // Unlinking a repository ends what it trusts.
    `DELETE FROM repository_trusts WHERE repository_id IN (SELECT id FROM repositories WHERE NOT linked)`
  ],
  "0023_digests": [
    `ALTER TABLE build_reservations ADD COLUMN digests TEXT`,
    `ALTER TABLE previews ADD COLUMN digests TEXT`
  ],
  "0024_webhook_states": [
    `ALTER TABLE webhooks ADD COLUMN failing_since INTEGER`,
    `ALTER TABLE webhooks ADD COLUMN disabled_at INTEGER`,
    // Also answers which webhooks have undelivered events, and which of a webhook's is due first.
    `DROP INDEX outbox_due`,
    `CREATE INDEX outbox_due_of_webhook ON outbox (webhook, due_at, place) WHERE dead_at IS NULL`
  ],
  "0025_stored_once": storedOnceSteps,
  "0026_metadata_usage": metadataSteps
})

/** Brings a database file to the schema of this version. A file that a newer version has migrated is refused. */
export const layerMigrations = Layer.effectDiscard(migrate(steps))
