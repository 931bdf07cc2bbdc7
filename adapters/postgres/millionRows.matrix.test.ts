/**
 * Among a million rows, every statement of every call must be answered from an index and read only a few rows. All
 * statements that the calls send are recorded and checked.
 */
import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect, Layer, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { layer } from "../../core/testing/layer.ts"
import { branchWindow } from "../../core/ports/OverviewStore.ts"
import { ciRunWindow } from "../../core/ports/TestHistoryStore.ts"
import { TestRunStore, type RunFilter } from "../../core/ports/TestRunStore.ts"
import { keyOf } from "../kit/parts/stored.ts"
import { layer as layerMetadata, layerMigrations } from "./index.ts"
import { callsOn, common, makeOneOfEach, rare } from "../sql/testing/calls.ts"
import { assertEveryMethod, recording } from "../sql/testing/statements.ts"
import { assertLookups, plannedForAnyValues, plannedForItsValues } from "./testing/plan.ts"
import { newDatabase } from "./testing/server.ts"

const digestOf = (text: string) => `sha256(convert_to(${text}, 'UTF8'))`
const isRare = "n BETWEEN 100 AND 109"
// The greatest ids in text order.
const isNew = "n::text > '3'"

/** A row of a table, of which there is one before the copies are made. */
const rowOf = (table: string) => `(SELECT * FROM ${table} LIMIT 1) ${table}`
const isOwn = `n % 2 = 0 OR ${isRare}`
const ownAccount = `CASE WHEN ${isOwn} THEN account_id ELSE 'a' || n % 10000 END`
/** A whole summary of a history, because a page reads on where it can't decode one. */
const summary = JSON.stringify({ runs: 1, failed: 0, flakyRuns: 0, recent: "p", lastRunId: "RUN", failuresInARow: 0 })
/** Long over for a sweep, of which the last ones first. */
const over = "timestamptz '2026-01-01' - n * interval '1 second'"

/**
 * Rows of a large deployment. Each is a copy of one of the rows that `makeOneOfEach` made.
 *
 * - A million runs, half of them in the queried repository. Ten of the oldest have a branch, a source, a pull request, a kind
 *   and a status that no other run has. Many have the same name and the same preview.
 * - 200,000 builds, half of them in the queried repository. Some are ready, and most are of the queried branch; all newer ones
 *   are of another branch. Ten of the oldest have a branch and a platform of their own.
 * - 100,000 histories of 2,000 tests on 400 branches of the queried repository, of which few failed or were flaky, and 200,000 CI runs.
 * - Related rows in proportion: reservations of one build, links to one preview, sessions of one key, a few repositories of one
 *   account, events that wait for their next delivery, and dead events.
 * - About half of the rows that can end have ended and were never swept. A few resources are kept, and a few accounts are being
 *   erased.
 */
const copies = [
  `INSERT INTO accounts
    SELECT 'a' || n, 'n' || n, ${digestOf("'n' || n")}, now(),
      CASE WHEN n <= 10 THEN '{"nameHash":"h","at":"2026-01-01T00:00:00.000Z","settledAt":"2026-01-01T01:00:00.000Z",
        "actor":{"administrator":"root"},"gone":{}}' END
    FROM generate_series(1, 10000) n`,
  // Every third one was made for years, every third one for minutes.
  `INSERT INTO api_keys
    SELECT 'k' || n, 'a' || n % 10000, 'key', 'h' || n, '{builds}', '2020-01-01',
      CASE n % 3 WHEN 0 THEN ${over} WHEN 1 THEN timestamptz '2020-01-01' + interval '10 minutes' END
    FROM generate_series(1, 50000) n`,
  `INSERT INTO repositories
    SELECT 'r' || n, CASE WHEN n % 3001 = 0 THEN account_id ELSE 'a' || n % 10000 END, 'o' || n, 'r',
      ${digestOf("'o' || n")}, now(), true
    FROM ${rowOf("repositories")}, generate_series(1, 20000) n`,
  `INSERT INTO builds
    SELECT 'b' || n, ${ownAccount}, CASE WHEN ${isOwn} THEN repository_id ELSE 'r' || n % 20000 END,
      CASE WHEN ${isRare} THEN '${rare.branch}' WHEN ${isNew} THEN 'next' ELSE branch END,
      CASE WHEN ${isRare} THEN ${digestOf(`'${rare.branch}'`)} WHEN ${isNew} THEN ${digestOf("'next'")} ELSE branch_digest END,
      CASE WHEN ${isRare} THEN 'android' ELSE platform END, 'c' || n, NULL,
      CASE WHEN ${isRare} THEN ${digestOf(`'${rare.branch}'`)} WHEN ${isNew} THEN ${digestOf("'next'")} ELSE branch_digest END, created_at, 's' || n,
      CASE WHEN n % 4 = 0 THEN ${over} END, CASE WHEN n % 4 = 0 THEN 's' || n END, 's' || n, ${over}, 1,
      CASE WHEN n % 1000 = 0 THEN now() END
    FROM ${rowOf("builds")}, generate_series(1, 200000) n`,
  `INSERT INTO build_reservations (
      id, token_hash, account_id, build_id, reserved_at, expires_at, finalized_at, hosted_prefix, superseded_at, declaration,
      declared_bytes, stored_bytes, uploaded_bytes
    )
    SELECT 's' || n, 't' || n, CASE WHEN n % 4 = 1 THEN account_id ELSE ${ownAccount} END,
      CASE n % 8 WHEN 1 THEN build_id WHEN 5 THEN 'b' || n + 3 ELSE 'b' || n END, reserved_at,
      CASE WHEN n % 40000 = 2 THEN expires_at ELSE ${over} END,
      CASE WHEN n % 4 = 0 OR n % 8 = 1 THEN ${over} END, CASE WHEN n % 4 = 0 OR n % 8 = 1 THEN 'hosted/' || n END,
      CASE WHEN n % 8 = 1 THEN ${over} END, declaration, 1, 1, 1
    FROM ${rowOf("build_reservations")}, generate_series(1, 200000) n`,
  `INSERT INTO previews (
      id, token_hash, account_id, reserved_at, expires_at, finalized_at, hosted_prefix, share_id, declaration, kept_at,
      declared_bytes, stored_bytes, uploaded_bytes, repository_id
    )
    SELECT 'p' || n, 'q' || n, CASE WHEN n % 4 < 2 THEN account_id ELSE 'a' || n % 10000 END, reserved_at, ${over},
      CASE WHEN n % 2 = 0 THEN ${over} END, CASE WHEN n % 2 = 0 THEN 'hosted/' || n END, 's' || n, declaration,
      CASE WHEN n % 1000 = 0 THEN now() END, 1, 1, 1,
      CASE WHEN n % 4 < 2 THEN (SELECT repository_id FROM test_runs LIMIT 1) ELSE 'r' || n % 20000 END
    FROM ${rowOf("previews")}, generate_series(1, 200000) n`,
  `INSERT INTO hosted_objects
    SELECT CASE WHEN n % 2 = 0 THEN account_id ELSE 'a' || n % 10000 END, md5(n::text) || md5('x' || n), n, 'hosted/' || n
    FROM ${rowOf("previews")}, generate_series(1, 1000000) n`,
  `INSERT INTO shared_objects SELECT 'hosted/s' || n, 'u' || n FROM generate_series(1, 200000) n`,
  `INSERT INTO billed_test_runs
    SELECT 'p' || n, CASE WHEN n % 10000 = 0 THEN account_id ELSE 'a' || n % 10000 END, ${over}
    FROM ${rowOf("previews")}, generate_series(1, 100000) n`,
  `INSERT INTO test_runs (
      id, account_id, repository_id, test_id, preview_share_id, name, kind, status, branch, branch_digest, source, source_digest,
      pr, created_at, kept_at
    )
    SELECT 't' || n, ${ownAccount}, CASE WHEN ${isOwn} THEN repository_id ELSE 'r' || n % 20000 END,
      CASE WHEN n % 4 = 0 THEN test_id ELSE md5('flow ' || n % 1000) END,
      CASE WHEN n % 8 = 0 THEN preview_share_id ELSE 's' || 1 + n % 200000 END,
      CASE WHEN n % 4 = 0 THEN name ELSE 'flow ' || n % 1000 END,
      CASE WHEN ${isRare} THEN '${rare.kind}' ELSE kind END,
      CASE WHEN ${isRare} THEN '${rare.status}' ELSE status END,
      CASE WHEN ${isRare} THEN '${rare.branch}' ELSE branch END,
      CASE WHEN ${isRare} THEN ${digestOf(`'${rare.branch}'`)} ELSE branch_digest END,
      CASE WHEN ${isRare} THEN '${rare.source}' ELSE source END,
      CASE WHEN ${isRare} THEN ${digestOf(`'${rare.source}'`)} ELSE source_digest END,
      CASE WHEN ${isRare} THEN ${rare.pr} ELSE pr END, created_at + (n - 250000) * interval '1 second',
      CASE WHEN n % 1000 = 7 THEN now() END
    FROM ${rowOf("test_runs")}, generate_series(1, 1000000) n`,
  `INSERT INTO test_histories
    SELECT md5('flow ' || n), CASE b WHEN 0 THEN '' WHEN 1 THEN left(encode(${digestOf(`'${common.branch}'`)}, 'hex'), 32) ELSE md5('b' || b) END,
      account_id, repository_id, 1, CASE WHEN n % 100 = 0 THEN 1 ELSE 100 END, kind,
      CASE WHEN n % 4 = 3 THEN ${over} ELSE last_run_at + n % 1000 * interval '10 seconds' END,
      CASE WHEN n % 50 = 0 THEN 'failed' ELSE 'passed' END,
      CASE WHEN n % 40 = 0 THEN last_run_at + n % 1000 * interval '10 seconds' END, n,
      CASE b WHEN 0 THEN NULL WHEN 1 THEN '${common.branch}' ELSE 'b' || b END, 'flow ' || n, NULL, NULL, NULL, NULL, replace('${summary}', 'RUN', 't' || 4 * n), '[]'
    FROM ${rowOf("test_histories")}, generate_series(1, 2000) n,
      LATERAL (VALUES (0), (1) UNION ALL SELECT n % 8 * 50 + x FROM generate_series(2, 51) x) branches (b)`,
  `INSERT INTO test_histories
    SELECT md5(n::text), '', 'a' || n % 10000, 'r' || n % 20000, 1, 1, kind, ${over}, 'failed', ${over}, n, NULL, 'x',
      NULL, NULL, NULL, NULL, '${summary}', '[]'
    FROM ${rowOf("test_histories")}, generate_series(1, 100000) n`,
  `INSERT INTO ci_runs (
      repository_id, ci_run, account_id, started_at, branch_digest, passed, failed, flaky, quarantined, runs, duration_ms,
      source, branch
    )
    SELECT CASE WHEN ${isOwn} THEN repository_id ELSE 'r' || n % 20000 END, 'source-' || n, ${ownAccount},
      CASE WHEN n % 8 = 6 THEN ${over} ELSE started_at + n % 10000 * interval '1 second' END,
      CASE WHEN n % 4 = 0 THEN branch_digest ELSE ${digestOf("'b' || n % 400")} END, 1, 1, 1, 0, 3, 3, 'source',
      CASE WHEN n % 4 = 0 THEN branch ELSE 'b' || n % 400 END
    FROM ${rowOf("ci_runs")}, generate_series(1, 200000) n`,
  `INSERT INTO idempotency_keys
    SELECT ${ownAccount}, 'h' || n, request_hash, sealed_answer, CASE WHEN n % 4 < 2 THEN ${over} ELSE expires_at END
    FROM ${rowOf("idempotency_keys")}, generate_series(1, 200000) n`,
  `INSERT INTO share_links
    SELECT 'l' || n, ${ownAccount}, CASE WHEN n % 100 = 0 THEN shared ELSE jsonb_build_object('preview', 's' || n) END,
      'h' || n, created_at, CASE WHEN n % 4 = 1 THEN ${over} ELSE expires_at END, CASE WHEN n % 4 = 2 THEN ${over} END
    FROM ${rowOf("share_links")}, generate_series(1, 200000) n`,
  `INSERT INTO sessions
    SELECT 'w' || n, CASE WHEN n % 100 = 0 THEN key_id ELSE 'k' || n % 50000 END, 'h' || n, created_at,
      CASE WHEN n % 2 = 0 THEN expires_at ELSE ${over} END, address, user_agent
    FROM ${rowOf("sessions")}, generate_series(1, 200000) n`,
  `INSERT INTO outbox (event_id, ordering_key, event, due_at, attempts, dead_at, reason)
    SELECT 'f' || n, 't' || n % 100000,
      jsonb_build_object(
        'id', 'f' || n, 'type', 'key.created', 'timestamp', '2150-01-01T00:00:00.000Z', 'account', 'a' || n % 10000,
        'data', jsonb_build_object('id', 'k' || n, 'name', 'key', 'scopes', jsonb_build_array('builds'))
      ),
      '2150-01-01', 1,
      CASE WHEN n % 10 = 0 THEN timestamptz '2150-01-01' END, CASE WHEN n % 10 = 0 THEN 'answered 404' END
    FROM generate_series(1, 200000) n`,
  `INSERT INTO repository_trusts
    SELECT 'r' || n, 'a' || n % 10000, 'https://ci.example', '{builds}', now() FROM generate_series(1, 20000) n`,
  `INSERT INTO quarantines (test_id, account_id, repository_id, kind, reason, created_at, expires_at)
    SELECT 'q' || n, 'a' || n % 10000, 'r' || 1 + n % 20000, 'maestro', 'flaky', '2140-01-01',
      timestamptz '2150-01-01' + n * interval '1 second'
    FROM generate_series(1, 200000) n`,
  // An exchange forgets those that are over.
  `INSERT INTO used_tokens SELECT 'u' || n, timestamptz '2150-01-01' FROM generate_series(1, 200000) n`,
  `INSERT INTO account_usage SELECT 'a' || n % 20000, '2140-0' || 1 + n / 20000, 0, 1, 1, 1 FROM generate_series(1, 100000) n`,
  `INSERT INTO account_stored_bytes SELECT 'a' || n % 20000, n / 20000, 1 FROM generate_series(1, 100000) n`,
  `INSERT INTO account_open_uploads SELECT 'a' || n % 20000, 'a' || n % 20000 || n / 20000, now(), 0, 0, 0
    FROM generate_series(1, 100000) n ON CONFLICT DO NOTHING`,
  `INSERT INTO account_quotas SELECT id, 1, 1, 1, 1 FROM accounts WHERE id LIKE 'a%'`,
  `INSERT INTO account_retention SELECT id, '{}' FROM accounts WHERE id LIKE 'a%'`,
  `INSERT INTO rate_buckets SELECT 'b' || n, 5e12, 5e12 FROM generate_series(1, 200000) n`,
  `INSERT INTO webhooks (id, url, secret, account_id, types, created_at)
    SELECT 'w' || n, 'https://ci.example/', 's', 'a' || n % 10000, '[]', '2150-01-01' FROM generate_series(1, 20000) n`,
  `INSERT INTO delivery_attempts (at, webhook, event, type, attempt, status, answer)
    SELECT timestamptz '2150-01-01' + n * interval '1 second', CASE WHEN n % 100 = 0 THEN 'a webhook' ELSE 'w' || n END,
      'f' || n, 'key.created', 1, 'delivered', 'answered 204'
    FROM generate_series(1, 200000) n`,
  `INSERT INTO audit_entries
    SELECT 'u' || n, CASE WHEN n % 100 = 0 THEN account_id ELSE 'a' || n % 10000 END, ${over}, 'key.revoked', 'key:1',
      NULL, '{"administrator":"root"}', NULL
    FROM ${rowOf("previews")}, generate_series(1, 200000) n`,
  `INSERT INTO removals
    SELECT 'm' || n, 'a' || n % 10000, 'hosted/' || n || '/', ${over}, ${over},
      CASE WHEN n % 2 = 0 THEN ${over} ELSE '2150-01-01' END
    FROM generate_series(1, 200000) n`,
  `INSERT INTO job_checkpoints (job) SELECT 'job ' || n FROM generate_series(1, 10000) n`
]

/**
 * Inserts the rows that the calls ask for, and the rest. References aren't checked, and indexes are built afterwards,
 * because that is faster.
 */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const loaded = yield* makeOneOfEach
  const indexes = yield* sql<{ readonly name: string; readonly definition: string }>`
    SELECT indexname AS name, indexdef AS definition FROM pg_indexes
    WHERE tablename = 'test_runs' AND indexname <> 'test_runs_pkey'
  `
  const statements = [
    "SET session_replication_role = replica",
    "SET maintenance_work_mem = '512MB'",
    `DROP INDEX ${indexes.map((index) => index.name).join(", ")}`,
    ...copies,
    ...indexes.map((index) => index.definition),
    "SET session_replication_role = origin",
    "VACUUM ANALYZE"
  ]
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, { discard: true })
  return loaded
})

/** The rows that an effect reads from tables and the entries that it reads from indexes, as the server counts them. */
const rowsRead = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  yield* sql`SELECT pg_stat_reset()`
  const answer = yield* effect
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql`
      SELECT
        (SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) FROM pg_stat_user_tables)::integer AS rows,
        (SELECT sum(idx_tup_read) FROM pg_stat_user_indexes)::integer AS entries
    `
  return { answer, rows: Number(row?.["rows"]), entries: Number(row?.["entries"]) }
})

const handful = { rows: 25, entries: 25 }

/** The calls that may read more than a few rows to answer ten, and which rows. */
const more: Readonly<Record<string, typeof handful>> = {
  // Each of the 2,000 links to the preview, which go with it.
  "PreviewStore.commitDelete": { rows: 2020, entries: 2020 },
  // Each of ten items is locked, checked again and deleted with its dependent rows.
  "SweepStore.expire": { rows: 250, entries: 300 },
  // A build may have several uploads. Uploads of builds that were never ready lie between those of ready builds until they expire.
  "SweepStore.due": { rows: 150, entries: 150 },
  // One batch of a sweep, in one account.
  "ErasureStore.eraseStep": { rows: 50, entries: 50 },
  // The counters of what the account stores and has open, in parts: twice in a commit that checks limits.
  "UsageStore.find": { rows: 150, entries: 250 },
  "ReservationStore.countOpen": { rows: 150, entries: 250 },
  "PreviewStore.commitReserve": { rows: 150, entries: 250 },
  "BuildStore.commitReserve": { rows: 150, entries: 250 },
  "TestRunStore.insert, within quotas": { rows: 150, entries: 250 },
  // Ten events: each is checked for an earlier event of its ordering key, and read again to be claimed. Entries of what the calls
  // before replaced are read too, until the server removes them, which it does when it has time.
  "Outbox.claim": { rows: 40, entries: 70 },
  // Ten builds of each platform, and the uploads of those that are answered.
  "OverviewStore.builds": { rows: 40, entries: 40 },
  // Of a run whose history is read, compared, locked and replaced.
  "TestRunStore.insert, with its history": { rows: 60, entries: 60 },
  "TestRunStore.insert, of a new test": { rows: 60, entries: 60 },
  "TestRunStore.commitDelete, with its history": { rows: 100, entries: 100 },
  // All branches of a test.
  "TestHistoryStore.branchesOf": { rows: 70, entries: 70 },
  // The branches of a repository's newest CI runs, from the index alone, and a row of each branch.
  "TestHistoryStore.branches": { rows: 450, entries: ciRunWindow + 450 },
  // At the limit of tests: those that ran longest ago, until one with a single result.
  "TestHistoryStore.room": { rows: 600, entries: 600 },
  // The names of all tests of a branch, or of the account.
  "TestHistoryStore.list, of a text": { rows: 2500, entries: 2500 },
  // And the last run of each of them, by its id.
  "TestHistoryStore.list, of a tag and a device": { rows: 4500, entries: 4500 },
  "TestHistoryStore.searchTests": { rows: 4500, entries: 4500 },
  // The newest CI runs of the account.
  "TestHistoryStore.searchCiRuns, of words": { rows: ciRunWindow + 50, entries: ciRunWindow + 50 },
  // The branches of each repository's last builds, from the index alone.
  "OverviewStore.branches": { rows: 60, entries: branchWindow + 100 }
}

/** Makes a call and checks each of its statements. Answers how many there were. */
const assertIndexed = Effect.fnUntraced(function* (name: string, call: Effect.Effect<unknown, unknown>) {
  const sql = yield* SqlClient.SqlClient
  const { answer, entries, rows } = yield* rowsRead(recording(call))
  const most = more[name] ?? more[name.split(",")[0] ?? ""] ?? handful
  assert.isAtMost(rows, most.rows, `rows read by ${name}`)
  assert.isAtMost(entries, most.entries, `entries of indexes read by ${name}`)
  for (const statement of answer.statements) {
    assertLookups(yield* plannedForItsValues(statement), `${name}: ${statement.sql}`)
    const kept = yield* sql`SELECT 1 FROM pg_prepared_statements WHERE statement = ${statement.sql}`
    // A list is planned for its values each time. Other statements are prepared and soon planned for any values.
    assert.strictEqual(kept.length > 0, !name.startsWith("TestRunStore.list"), `${name} is prepared`)
    if (kept.length > 0) assertLookups(yield* plannedForAnyValues(statement), `any ${name}: ${statement.sql}`)
  }
  return answer.statements.length
})

/** Every combination of filters, each with a value that most runs have or that few runs have. */
const everyFilter = (["branch", "source", "pr", "kind", "status"] as const).reduce<ReadonlyArray<RunFilter>>(
  (filters, field) =>
    filters.flatMap((filter) => [filter, { ...filter, [field]: common[field] }, { ...filter, [field]: rare[field] }]),
  [{}]
)

// One connection, because prepared statements and statistics belong to a session.
const layerOneConnection = Layer.unwrap(
  Effect.map(newDatabase, (url) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }))
)

layer(layerMetadata.pipe(Layer.provideMerge(layerMigrations), Layer.provideMerge(layerOneConnection)))(
  "among a million rows",
  (it) => {
    it.effect("every statement of every call but lists of everything is answered from an index", function* () {
      const loaded = yield* fill
      const { account, repository } = loaded

      const runs = yield* TestRunStore
      assert.strictEqual(everyFilter.length, 243)
      for (const filter of everyFilter) {
        const list = runs.list({
          account: account.id,
          repository: keyOf(repository),
          filter,
          after: Option.none(),
          limit: 10,
          bytes: 2 ** 20
        })
        yield* assertIndexed(`TestRunStore.list of ${JSON.stringify(filter)}`, list)
      }

      const every = yield* callsOn(loaded)
      const {
        "AccountStore.list": all,
        "WebhookStore.list": webhooks,
        // These read an index from its end, as many entries as are asked for or kept.
        "WebhookStore.attempts": latest,
        "WebhookStore.expireAttempts": forget,
        // All accounts that are being erased, from an index of only these. There are no pages: an administrator starts each
        // erasure manually, and it ends after about an hour.
        "ErasureStore.list": erasing,
        ...calls
      } = every
      assertEveryMethod(yield* Effect.context<never>(), every)
      assert.isAtMost((yield* rowsRead(latest)).rows, 10)
      for (const [name, call] of Object.entries(calls)) {
        assert.isAtLeast(yield* assertIndexed(name, call), 1, `statements of ${name}`)
      }
      assert.isAtLeast((yield* rowsRead(all)).rows, 10_000)
      assert.isAtLeast((yield* rowsRead(webhooks)).rows, 10_000)
      yield* forget
      assert.isAtMost((yield* rowsRead(erasing)).rows, 10)
    })
  }
)
