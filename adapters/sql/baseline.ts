/**
 * The tables and indexes of the first schema, for every SQL engine. Texts are compared by their bytes; names are looked up by their
 * digest, see `digest.ts`. This file is never edited once a version is published: changes are further steps of an engine's migrations.
 */
import type { Dialect } from "./Dialect.ts"
import { histories, testRuns } from "./testRunTables.ts"

const accounts = (d: Dialect): ReadonlyArray<string> => [
  `CREATE TABLE accounts (
    id ${d.id} PRIMARY KEY,
    name ${d.text} NOT NULL,
    name_digest ${d.digest} NOT NULL CONSTRAINT accounts_name UNIQUE,
    created_at ${d.time} NOT NULL,
    erasure ${d.text}
  )${d.byKey}`,
  `CREATE INDEX accounts_erased ON accounts (id) WHERE erasure IS NOT NULL`,
  `CREATE TABLE api_keys (
    id ${d.id} PRIMARY KEY,
    account_id ${d.id} NOT NULL REFERENCES accounts (id),
    name ${d.text} NOT NULL,
    hash ${d.id} NOT NULL CONSTRAINT api_keys_hash UNIQUE,
    scopes ${d.list} NOT NULL,
    created_at ${d.time} NOT NULL,
    expires_at ${d.time},
    revoked_at ${d.time},
    last_used_at ${d.time}
  )${d.byKey}`,
  `CREATE INDEX api_keys_of_account ON api_keys (account_id, id)`,
  // A sweep deletes only expired keys that lived shortly, and needn't read the others each time.
  `CREATE INDEX api_keys_exchanged ON api_keys (expires_at, id) WHERE ${d.shortLived}`,
  `CREATE TABLE account_quotas (
    account_id ${d.id} PRIMARY KEY REFERENCES accounts (id),
    bytes_stored ${d.amount},
    bytes_per_month ${d.amount},
    previews_per_month ${d.amount},
    runs_per_month ${d.amount}
  )${d.byKey}`,
  `CREATE TABLE account_retention (
    account_id ${d.id} PRIMARY KEY REFERENCES accounts (id),
    rules ${d.text} NOT NULL
  )${d.byKey}`,
  // No account is referenced, because the log outlives its accounts.
  `CREATE TABLE audit_entries (
    id ${d.id} PRIMARY KEY,
    account_id ${d.id},
    at ${d.time} NOT NULL,
    action ${d.text} NOT NULL,
    subject ${d.text} NOT NULL,
    detail ${d.text},
    actor ${d.text} NOT NULL,
    address ${d.text}
  )${d.byKey}`,
  `CREATE INDEX audit_entries_of_account ON audit_entries (account_id, id)`,
  `CREATE INDEX audit_entries_by_time ON audit_entries (at)`,
  `CREATE TABLE sessions (
    id ${d.id} PRIMARY KEY,
    key_id ${d.id} NOT NULL REFERENCES api_keys (id),
    secret_hash ${d.id} NOT NULL CONSTRAINT sessions_secret UNIQUE,
    created_at ${d.time} NOT NULL,
    expires_at ${d.time} NOT NULL,
    address ${d.text},
    user_agent ${d.text}
  )${d.byKey}`,
  `CREATE INDEX sessions_of_key ON sessions (key_id, id)`,
  `CREATE INDEX sessions_by_end ON sessions (key_id, expires_at)`,
  `CREATE INDEX sessions_over ON sessions (expires_at, id)`,
  `CREATE TABLE share_links (
    id ${d.id} PRIMARY KEY,
    account_id ${d.id} NOT NULL REFERENCES accounts (id),
    shared ${d.json} NOT NULL,
    secret_hash ${d.id} NOT NULL CONSTRAINT share_links_secret UNIQUE,
    created_at ${d.time} NOT NULL,
    expires_at ${d.time} NOT NULL,
    revoked_at ${d.time}
  )${d.byKey}`,
  `CREATE INDEX share_links_of_shared ON share_links (account_id, shared, id)`,
  `CREATE INDEX share_links_over ON share_links (COALESCE(revoked_at, expires_at), id)`
]

const repositories = (d: Dialect): ReadonlyArray<string> => [
  // One row for each account that ever linked a repository; `linked` marks the account that has it now.
  `CREATE TABLE repositories (
    id ${d.id} PRIMARY KEY,
    account_id ${d.id} NOT NULL REFERENCES accounts (id),
    owner ${d.text} NOT NULL,
    repo ${d.text} NOT NULL,
    key_digest ${d.digest} NOT NULL,
    linked_at ${d.time} NOT NULL,
    linked ${d.flag} NOT NULL,
    default_branch ${d.text},
    web_url ${d.text},
    CONSTRAINT repositories_key UNIQUE (account_id, key_digest)
  )${d.byKey}`,
  `CREATE UNIQUE INDEX repositories_one_link ON repositories (key_digest) WHERE linked`,
  `CREATE INDEX repositories_of_account ON repositories (account_id, id)`,
  `CREATE TABLE repository_trusts (
    repository_id ${d.id} NOT NULL REFERENCES repositories (id),
    account_id ${d.id} NOT NULL,
    issuer ${d.id} NOT NULL,
    scopes ${d.list} NOT NULL,
    created_at ${d.time} NOT NULL,
    conditions ${d.text},
    pinned ${d.text},
    PRIMARY KEY (repository_id, issuer)
  )${d.byKey}`,
  `CREATE INDEX repository_trusts_of_account ON repository_trusts (account_id)`,
  `CREATE INDEX repository_trusts_of_issuer ON repository_trusts (issuer)`,
  // Exchanged tokens, until they expire.
  `CREATE TABLE used_tokens (token_hash ${d.id} PRIMARY KEY, expires_at ${d.time} NOT NULL)${d.byKey}`,
  `CREATE INDEX used_tokens_by_end ON used_tokens (expires_at)`
]

/** The columns of every reservation. */
const reserved = (d: Dialect, table: string) => `
    id ${d.id} PRIMARY KEY,
    token_hash ${d.id} NOT NULL CONSTRAINT ${table}_token UNIQUE,
    account_id ${d.id} NOT NULL,
    key_id ${d.id},
    reserved_at ${d.time} NOT NULL,
    expires_at ${d.time} NOT NULL,
    finalized_at ${d.time},
    hosted_prefix ${d.text},
    decompressed_bytes ${d.amount},
    metadata_bytes ${d.amount},
    declared_bytes ${d.amount} NOT NULL,
    stored_bytes ${d.amount} NOT NULL,
    uploaded_bytes ${d.amount} NOT NULL`

/** The columns of every reservation that may be large. They come last, so that the others are read without them. */
const declared = (d: Dialect) => `
    declaration ${d.json} NOT NULL,
    digests ${d.text},
    stored ${d.json}`

/** The condition that a declared preview is not one of a test run. */
export const noTestRun = (declaration: string): string =>
  `(${declaration} ->> 'billingKind') IS DISTINCT FROM 'test_run'`

const uploads = (d: Dialect): ReadonlyArray<string> => [
  // The line of a build is its branch and app, see `lineDigest`.
  `CREATE TABLE builds (
    id ${d.id} PRIMARY KEY,
    account_id ${d.id} NOT NULL,
    repository_id ${d.id} NOT NULL REFERENCES repositories (id),
    branch ${d.text} NOT NULL,
    branch_digest ${d.digest} NOT NULL,
    platform ${d.id} NOT NULL,
    commit_sha ${d.id} NOT NULL,
    app ${d.text},
    line_digest ${d.digest} NOT NULL,
    created_at ${d.time} NOT NULL,
    current_upload ${d.id} NOT NULL,
    ready_at ${d.time},
    ready_by ${d.id},
    reserved_by ${d.id} NOT NULL,
    reserved_until ${d.time} NOT NULL,
    version ${d.integer} NOT NULL,
    kept_at ${d.time},
    CONSTRAINT builds_identity UNIQUE (repository_id, line_digest, platform, commit_sha)
  )${d.byKey}`,
  `CREATE INDEX builds_by_ready ON builds (repository_id, branch_digest, platform, ready_by) WHERE ready_by IS NOT NULL`,
  `CREATE INDEX builds_of_line ON builds (repository_id, line_digest, platform, ready_by) WHERE ready_by IS NOT NULL`,
  `CREATE INDEX builds_by_end ON builds (repository_id, branch_digest, platform, reserved_until)`,
  `CREATE INDEX builds_of_platform ON builds (repository_id, platform, id)`,
  `CREATE INDEX builds_of_account ON builds (account_id, id)`,
  `CREATE INDEX builds_abandoned ON builds (reserved_until, id) WHERE ready_at IS NULL`,
  `CREATE TABLE build_reservations (${reserved(d, "build_reservations")},
    build_id ${d.id} NOT NULL REFERENCES builds (id),
    superseded_at ${d.time},${declared(d)}
  )${d.byRow}`,
  `CREATE INDEX build_reservations_of_account ON build_reservations (account_id, id)`,
  `CREATE INDEX build_reservations_of_build ON build_reservations (build_id, id)`,
  `CREATE INDEX build_reservations_open ON build_reservations (account_id, expires_at) WHERE finalized_at IS NULL`,
  `CREATE INDEX build_reservations_over ON build_reservations (expires_at, id) WHERE finalized_at IS NULL`,
  `CREATE INDEX build_reservations_current ON build_reservations (build_id)
    WHERE finalized_at IS NOT NULL AND superseded_at IS NULL`,
  `CREATE INDEX build_reservations_superseded ON build_reservations (superseded_at, id) WHERE superseded_at IS NOT NULL`,
  `CREATE TABLE previews (${reserved(d, "previews")},
    share_id ${d.id} NOT NULL CONSTRAINT previews_share UNIQUE,
    repository_id ${d.id} REFERENCES repositories (id),
    kept_at ${d.time},${declared(d)},
    FOREIGN KEY (account_id) REFERENCES accounts (id)
  )${d.byRow}`,
  `CREATE INDEX previews_of_account ON previews (account_id, id)`,
  `CREATE INDEX previews_of_repository ON previews (repository_id, id) WHERE repository_id IS NOT NULL`,
  `CREATE INDEX previews_uploaded ON previews (repository_id, id)
    WHERE repository_id IS NOT NULL AND finalized_at IS NOT NULL AND ${noTestRun("declaration")}`,
  `CREATE INDEX previews_open ON previews (account_id, expires_at) WHERE finalized_at IS NULL`,
  `CREATE INDEX previews_over ON previews (expires_at, share_id) WHERE finalized_at IS NULL`,
  `CREATE INDEX previews_by_age ON previews (account_id, finalized_at, share_id)
    WHERE finalized_at IS NOT NULL AND kept_at IS NULL`,
  // Billing outlasts the preview, so this holds the preview's id without a reference to it.
  `CREATE TABLE billed_test_runs (
    preview_id ${d.id} PRIMARY KEY,
    account_id ${d.id} NOT NULL REFERENCES accounts (id),
    billed_at ${d.time} NOT NULL
  )${d.byKey}`,
  `CREATE INDEX billed_test_runs_of_account ON billed_test_runs (account_id, billed_at)`,
  `CREATE TABLE hosted_objects (
    account_id ${d.id} NOT NULL REFERENCES accounts (id),
    content_hash ${d.id} NOT NULL,
    size_bytes ${d.amount} NOT NULL,
    object_key ${d.id} NOT NULL CONSTRAINT hosted_objects_once CHECK (object_key <> ''),
    PRIMARY KEY (account_id, content_hash, size_bytes)
  )${d.byKey}`,
  `CREATE INDEX hosted_objects_by_key ON hosted_objects (object_key)`,
  `CREATE TABLE shared_objects (
    object_key ${d.id} NOT NULL,
    reservation_id ${d.id} NOT NULL,
    PRIMARY KEY (object_key, reservation_id)
  )${d.byKey}`,
  `CREATE INDEX shared_objects_of_upload ON shared_objects (reservation_id)`,
  // Deleted objects belong to no account's records any more, so no account is referenced.
  `CREATE TABLE removals (
    id ${d.id} PRIMARY KEY,
    account_id ${d.id} NOT NULL,
    prefix ${d.id} NOT NULL,
    since ${d.time} NOT NULL,
    settled_at ${d.time} NOT NULL,
    due_at ${d.time} NOT NULL
  )${d.byKey}`,
  `CREATE INDEX removals_due ON removals (due_at, id)`
]

const events = (d: Dialect): ReadonlyArray<string> => [
  // A position is never reused, so events with the same ordering key have positions in the order of their commits.
  `CREATE TABLE outbox (
    position ${d.numbered("outbox")},
    event_id ${d.id} NOT NULL CONSTRAINT outbox_event UNIQUE,
    ordering_key ${d.id} NOT NULL,
    webhook ${d.id},
    due_at ${d.time} NOT NULL,
    attempts ${d.integer} NOT NULL,
    claim ${d.id},
    dead_at ${d.time},
    reason ${d.text},
    event ${d.json} NOT NULL
  )${d.byRow}`,
  `CREATE INDEX outbox_of_ordering_key ON outbox (ordering_key, position) WHERE dead_at IS NULL`,
  `CREATE INDEX outbox_due_of_webhook ON outbox (webhook, due_at, position) WHERE dead_at IS NULL`,
  `CREATE INDEX outbox_dead ON outbox (event_id) WHERE dead_at IS NOT NULL`,
  `CREATE INDEX outbox_by_death ON outbox (dead_at) WHERE dead_at IS NOT NULL`,
  `CREATE INDEX outbox_of_account ON outbox ((event ->> 'account'))`,
  `CREATE TABLE webhooks (
    id ${d.id} PRIMARY KEY,
    url ${d.text} NOT NULL,
    secret ${d.text} NOT NULL,
    account_id ${d.id},
    types ${d.json} NOT NULL,
    created_at ${d.time} NOT NULL,
    failing_since ${d.time},
    disabled_at ${d.time}
  )${d.byKey}`,
  `CREATE INDEX webhooks_of_account ON webhooks (account_id) WHERE account_id IS NOT NULL`,
  // The position orders attempts of the same millisecond.
  `CREATE TABLE delivery_attempts (
    position ${d.numbered("delivery_attempts")},
    at ${d.time} NOT NULL,
    webhook ${d.id} NOT NULL,
    event ${d.id} NOT NULL,
    type ${d.text} NOT NULL,
    attempt ${d.integer} NOT NULL,
    status ${d.text} NOT NULL,
    answer ${d.text} NOT NULL
  )${d.byRow}`,
  `CREATE INDEX delivery_attempts_by_time ON delivery_attempts (at, position)`,
  `CREATE INDEX delivery_attempts_of_webhook ON delivery_attempts (webhook, at, position)`
]

const upkeep = (d: Dialect): ReadonlyArray<string> => [
  // The name of the check is how a commit learns that an answer is kept already, see `../postgres/commits.ts`.
  `CREATE TABLE idempotency_keys (
    account_id ${d.id} NOT NULL REFERENCES accounts (id),
    key_hash ${d.id} NOT NULL,
    request_hash ${d.id} NOT NULL,
    sealed_answer ${d.text} NOT NULL,
    expires_at ${d.time} CONSTRAINT idempotency_keys_once CHECK (expires_at IS NOT NULL),
    PRIMARY KEY (account_id, key_hash)
  )${d.byRow}`,
  `CREATE INDEX idempotency_keys_over ON idempotency_keys (expires_at, account_id, key_hash)`,
  // `last_end` is the end that the last request was answered with, whether or not it consumed anything.
  `CREATE ${d.transient} rate_buckets (
    bucket ${d.id} PRIMARY KEY,
    full_at ${d.fraction} NOT NULL,
    last_end ${d.fraction} NOT NULL
  )${d.byKey}`,
  `CREATE INDEX rate_buckets_by_end ON rate_buckets (full_at)`,
  `CREATE TABLE job_checkpoints (
    job ${d.id} PRIMARY KEY,
    holder ${d.id},
    held_until ${d.time},
    cursor ${d.text},
    done_at ${d.time}
  )${d.byKey}`
]

/** The statements of the first schema, without what counts usage: see `usage` in each engine. */
export const baseline = (dialect: Dialect): ReadonlyArray<string> =>
  [accounts, repositories, uploads, testRuns, histories, events, upkeep].flatMap((part) => part(dialect))
