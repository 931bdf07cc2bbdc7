/** The tables of test runs and their histories in the first schema: a part of `baseline.ts`, and as little edited. */
import type { Dialect } from "./Dialect.ts"

export const testRuns = (d: Dialect): ReadonlyArray<string> => [
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

export const histories = (d: Dialect): ReadonlyArray<string> => [
  // One row for each branch of a test, and one for all branches, see `historyBranch` in `testHistories.ts`. The names of the checks are how a
  // commit learns that the version is another, see `../postgres/commits.ts`. The results come last, so that lists don't read them; see `packRecent`.
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
    runs ${d.integer} NOT NULL,
    duration_ms ${d.amount} NOT NULL,
    source ${d.text},
    branch ${d.text},
    commit_message ${d.text},
    author ${d.text},
    base ${d.text},
    imports ${d.text},
    imports_version ${d.integer},
    PRIMARY KEY (repository_id, ci_run)
  )${d.byRow}`,
  `CREATE INDEX ci_runs_newest ON ci_runs (repository_id, started_at, ci_run, branch_digest)`,
  `CREATE INDEX ci_runs_of_branch ON ci_runs (repository_id, branch_digest, started_at, ci_run)
    WHERE branch_digest IS NOT NULL`,
  `CREATE INDEX ci_runs_by_commit ON ci_runs (account_id, commit_sha) WHERE commit_sha IS NOT NULL`,
  `CREATE INDEX ci_runs_by_branch ON ci_runs (account_id, branch_digest, started_at, ci_run)
    WHERE branch_digest IS NOT NULL`,
  `CREATE INDEX ci_runs_by_pr ON ci_runs (account_id, pr, started_at, ci_run) WHERE pr IS NOT NULL`,
  `CREATE INDEX ci_runs_by_age ON ci_runs (account_id, started_at, repository_id, ci_run)`
]
