/** The column types and expressions in which engines differ. */
interface Dialect {
  /** A text that is ordered or compared by its bytes. */
  readonly id: string
  readonly text: string
  readonly time: string
  readonly digest: string
  readonly integer: string
  /** Whole numbers up to 2^53. */
  readonly amount: string
  readonly fraction: string
  readonly flag: string
  readonly json: string
  readonly list: string
  /** The primary key of rows that are numbered as they are inserted. */
  readonly numbered: (table: string) => string
  /** What ends a table whose rows are found by its primary key, and one whose rows are larger. */
  readonly byKey: string
  readonly byRow: string
  /** A table that a crash may empty. */
  readonly transient: string
  /** A source without its attempt, that is up to its first slash: as much as fits into an index entry. */
  readonly ciRun: string
  /** The condition of keys that live for an hour at most, as those from a token exchange do. */
  readonly shortLived: string
}

/** A step of the schema. Its `id` is greater than that of every step before it. */
export interface Step {
  readonly id: number
  readonly name: string
  readonly statements: ReadonlyArray<string>
}

/** The steps of a schema, from statements under numbered names such as `0001_accounts`. */
export const stepsOf = (byName: Readonly<Record<string, ReadonlyArray<string>>>): ReadonlyArray<Step> =>
  Object.entries(byName).map(([name, statements]) => ({
    id: Number(name.slice(0, 4)),
    name: name.slice(5),
    statements
  }))

// The tables of test runs and their histories in the first schema. From the first release on, a change is a step behind it.

const testRuns = (d: Dialect): ReadonlyArray<string> => [
  // The caller may give any year as the start time, and no query uses it, so it is stored as text. A run stays when its preview is
  // deleted, so it holds the preview's share id without a reference.
  `CREATE TABLE test_runs (
    id ${d.id} PRIMARY KEY,
    account_id ${d.id} NOT NULL,
    repository_id ${d.id} NOT NULL REFERENCES repositories (id),
    test_id ${d.id} NOT NULL,
    preview_share_id ${d.id} NOT NULL,
    kind ${d.id} NOT NULL,
    status ${d.id} NOT NULL,
    created_at ${d.time} NOT NULL,
    kept_at ${d.time},
    metadata_bytes ${d.amount},
    quarantined ${d.flag},
    branch_digest ${d.digest},
    source_digest ${d.digest},
    commit_sha ${d.id},
    pr ${d.integer},
    step_count ${d.integer},
    duration_ms ${d.integer},
    failed_step_index ${d.integer},
    started_at ${d.id},
    name ${d.text},
    prompt ${d.text},
    branch ${d.text},
    source ${d.text},
    file ${d.text},
    device ${d.text},
    tags ${d.text},
    app ${d.text},
    commit_message ${d.text},
    author ${d.text},
    base ${d.text},
    job ${d.text},
    failure_message ${d.text},
    attempts ${d.text}
  )${d.byRow}`,
  // A list reads one of these indexes from its end. Each filter has its own, so that few matching runs needn't be searched for among all
  // runs of a repository.
  `CREATE INDEX test_runs_of_repository ON test_runs (repository_id, created_at, id)`,
  `CREATE INDEX test_runs_by_kind ON test_runs (repository_id, kind, created_at, id)`,
  `CREATE INDEX test_runs_by_status ON test_runs (repository_id, status, created_at, id)`,
  `CREATE INDEX test_runs_by_branch ON test_runs (repository_id, branch_digest, created_at, id)
    WHERE branch_digest IS NOT NULL`,
  `CREATE INDEX test_runs_by_commit ON test_runs (repository_id, commit_sha, created_at, id) WHERE commit_sha IS NOT NULL`,
  `CREATE INDEX test_runs_by_source ON test_runs (repository_id, source_digest, created_at, id)
    WHERE source_digest IS NOT NULL`,
  `CREATE INDEX test_runs_by_pr ON test_runs (repository_id, pr, created_at, id) WHERE pr IS NOT NULL`,
  `CREATE INDEX test_runs_by_app ON test_runs (repository_id, app, created_at, id) WHERE app IS NOT NULL`,
  `CREATE INDEX test_runs_of_test ON test_runs (test_id, created_at, id)`,
  `CREATE INDEX test_runs_by_ci_run ON test_runs (repository_id, ${d.ciRun}, created_at, id) WHERE source IS NOT NULL`,
  `CREATE INDEX test_runs_of_preview ON test_runs (preview_share_id, created_at, id)`,
  `CREATE INDEX test_runs_of_account ON test_runs (account_id, id)`,
  `CREATE INDEX test_runs_by_age ON test_runs (account_id, created_at, id) WHERE kept_at IS NULL`,
  `CREATE INDEX test_runs_kept ON test_runs (preview_share_id) WHERE kept_at IS NOT NULL`
]

const histories = (d: Dialect): ReadonlyArray<string> => [
  // One row for each branch of a test, and one for all branches, see `historyBranch` in `testHistories.ts`. The names of the checks are how a
  // commit learns that the version is another, see `../postgres/engine.ts`. The results come last, so that lists don't read them; see `packRecent`.
  `CREATE TABLE test_histories (
    test_id ${d.id} NOT NULL,
    branch_digest ${d.id} NOT NULL,
    account_id ${d.id} NOT NULL,
    repository_id ${d.id} NOT NULL REFERENCES repositories (id),
    version ${d.integer} CONSTRAINT test_histories_current CHECK (version IS NOT NULL),
    result_count ${d.integer} NOT NULL,
    kind ${d.id} NOT NULL,
    last_run_at ${d.time} NOT NULL,
    last_status ${d.id} NOT NULL,
    last_flaky_at ${d.time},
    p95_ms ${d.integer},
    branch ${d.text},
    name ${d.text},
    prompt ${d.text},
    file ${d.text},
    platform ${d.text},
    app ${d.text},
    summary ${d.text} NOT NULL,
    results ${d.text} NOT NULL,
    recent ${d.text} NOT NULL DEFAULT '',
    PRIMARY KEY (test_id, branch_digest)
  )${d.byRow}`,
  `CREATE INDEX test_histories_newest ON test_histories (repository_id, branch_digest, last_run_at, test_id)`,
  `CREATE INDEX test_histories_failed ON test_histories (repository_id, branch_digest, last_run_at, test_id)
    WHERE last_status = 'failed'`,
  `CREATE INDEX test_histories_flaky ON test_histories (repository_id, branch_digest, last_run_at, test_id)
    WHERE last_flaky_at IS NOT NULL`,
  `CREATE INDEX test_histories_slowest ON test_histories (repository_id, branch_digest, p95_ms, test_id)
    WHERE p95_ms IS NOT NULL`,
  `CREATE INDEX test_histories_by_age ON test_histories (account_id, last_run_at, test_id, branch_digest)`,
  `CREATE TABLE ci_runs (
    repository_id ${d.id} NOT NULL REFERENCES repositories (id),
    ci_run ${d.id} NOT NULL,
    account_id ${d.id} NOT NULL,
    started_at ${d.time} NOT NULL,
    branch_digest ${d.digest},
    commit_sha ${d.id},
    pr ${d.integer},
    passed ${d.integer} NOT NULL,
    failed ${d.integer} NOT NULL,
    flaky ${d.integer} NOT NULL,
    quarantined ${d.integer} NOT NULL,
    runs ${d.integer} NOT NULL,
    duration_ms ${d.amount} NOT NULL,
    source ${d.text},
    branch ${d.text},
    commit_message ${d.text},
    author ${d.text},
    base ${d.text},
    imports ${d.text},
    imports_version ${d.integer},
    finishes_at ${d.time},
    PRIMARY KEY (repository_id, ci_run)
  )${d.byRow}`,
  `CREATE INDEX ci_runs_newest ON ci_runs (repository_id, started_at, ci_run, branch_digest)`,
  `CREATE INDEX ci_runs_of_branch ON ci_runs (repository_id, branch_digest, started_at, ci_run)
    WHERE branch_digest IS NOT NULL`,
  `CREATE INDEX ci_runs_by_commit ON ci_runs (account_id, commit_sha) WHERE commit_sha IS NOT NULL`,
  `CREATE INDEX ci_runs_by_branch ON ci_runs (account_id, branch_digest, started_at, ci_run)
    WHERE branch_digest IS NOT NULL`,
  `CREATE INDEX ci_runs_by_pr ON ci_runs (account_id, pr, started_at, ci_run) WHERE pr IS NOT NULL`,
  `CREATE INDEX ci_runs_by_age ON ci_runs (account_id, started_at, repository_id, ci_run)`,
  `CREATE INDEX ci_runs_unfinished ON ci_runs (finishes_at, repository_id, ci_run) WHERE finishes_at IS NOT NULL`,
  `CREATE TABLE quarantines (
    test_id ${d.id} PRIMARY KEY,
    account_id ${d.id} NOT NULL,
    repository_id ${d.id} NOT NULL REFERENCES repositories (id),
    kind ${d.id} NOT NULL,
    name ${d.text},
    prompt ${d.text},
    file ${d.text},
    platform ${d.text},
    app ${d.text},
    reason ${d.text} NOT NULL,
    owner ${d.text},
    created_at ${d.time} NOT NULL,
    expires_at ${d.time} NOT NULL,
    expired_at ${d.time}
  )${d.byKey}`,
  `CREATE INDEX quarantines_newest ON quarantines (repository_id, created_at, test_id)`,
  `CREATE INDEX quarantines_of_account ON quarantines (account_id, test_id)`,
  `CREATE INDEX quarantines_due ON quarantines (expires_at, test_id) WHERE expired_at IS NULL`,
  `CREATE INDEX quarantines_over ON quarantines (expires_at, test_id)`
]

// The tables and indexes of the first schema, for every SQL engine. Texts are compared by their bytes; names are looked up by their
// digest, see `values.ts`. This file is never edited once a version is published: changes are further steps of an engine's migrations.

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
    address ${d.text},
    repository_id ${d.id}
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
  `CREATE INDEX builds_of_app ON builds (repository_id, platform, app, id) WHERE app IS NOT NULL`,
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
    format ${d.id},
    repository ${d.text},
    branch ${d.text},
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
  // The name of the check is how a commit learns that an answer is kept already, see `../postgres/engine.ts`.
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
