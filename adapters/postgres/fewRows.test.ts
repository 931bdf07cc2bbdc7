/**
 * How many rows a call reads, by the database's own count, among some thousands: a call without an index, or with one
 * that doesn't fit, reads them all.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestRunId } from "../../core/model/TestRun.ts"
import type { RunPlace } from "../../core/model/TestRun.ts"
import { onFinalize } from "../../core/rules/builds.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { IdempotencyStore } from "../../core/ports/IdempotencyStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import type { RunFilter } from "../../core/ports/TestRunStore.ts"
import { onPreviewFinalize } from "../../core/rules/previews.ts"
import { keyOf, newBuild, newHome, reserveAgain } from "../kit/buildPorts.ts"
import { instant, makeAccount, makeKey, makeOnce, makePreview, makeRepository, makeRun } from "../kit/samples.ts"
import { layer as layerPglite } from "../pglite/index.ts"
import { layer as layerMetadata, layerMigrations } from "./index.ts"

/**
 * Thousands of rows in every table, among them 4,000 builds of the branch that is asked for, half of them ready, and
 * 4,000 runs of the repository, of which ten of the oldest are of a branch, a source, a pull request, a kind and a
 * status that no other has.
 */
const fill = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const home = yield* newHome
  const { account, repository } = home
  const { build, reservation } = yield* newBuild(home, { build: { branch: "main" } })
  const key = makeKey(account)
  yield* (yield* KeyStore).insert(key)

  const digestOf = (text: string) => sql.literal(`sha256(convert_to(${text}, 'UTF8'))`)
  yield* sql`
    INSERT INTO accounts SELECT 'a' || n, 'n' || n, ${digestOf("'n' || n")}, now() FROM generate_series(1, 4000) n
  `
  yield* sql`
    INSERT INTO api_keys SELECT 'k' || n, 'a' || n, 'key', 'h' || n, '{builds}', now() FROM generate_series(1, 4000) n
  `
  yield* sql`
    INSERT INTO repositories SELECT 'r' || n, 'a' || n, 'o' || n, 'r', ${digestOf("'o' || n")}, now(), true
    FROM generate_series(1, 4000) n
  `
  yield* sql`
    INSERT INTO builds
    SELECT 'b' || n, account_id, repository_id, branch, branch_digest, platform, 'c' || n, created_at, shown,
      created_at, CASE WHEN n % 2 = 0 THEN 's' || n END, 's' || n, created_at, 1
    FROM builds, generate_series(1, 4000) n
  `
  yield* sql`
    INSERT INTO build_reservations
    SELECT 's' || n, 't' || n, account_id, 'b' || n, reserved_at, expires_at, NULL, NULL, declaration
    FROM build_reservations, generate_series(1, 4000) n
  `

  const preview = makePreview(account)
  yield* (yield* PreviewStore).commitReserve({ preview })
  const once = makeOnce(account)
  yield* (yield* TestRunStore).insert({
    run: makeRun(repository, preview, { branch: "main", source: "ci", pr: 1 }),
    once
  })
  yield* sql`
    INSERT INTO previews
    SELECT 'p' || n, 'q' || n, account_id, reserved_at, expires_at, NULL, NULL, 's' || n, NULL, declaration
    FROM previews, generate_series(1, 4000) n
  `
  yield* sql`INSERT INTO billed_test_runs SELECT 'p' || n, 'a' || n, now() FROM generate_series(1, 4000) n`
  const rare = sql.literal("n BETWEEN 100 AND 109")
  yield* sql`
    INSERT INTO test_runs (
      id, account_id, repository_id, preview_share_id, kind, status, branch, branch_digest, source, source_digest, pr,
      created_at
    )
    SELECT 't' || n, account_id, repository_id, preview_share_id, CASE WHEN ${rare} THEN 'detox' ELSE kind END,
      CASE WHEN ${rare} THEN 'failed' ELSE status END,
      CASE WHEN ${rare} THEN 'rare' ELSE branch END,
      CASE WHEN ${rare} THEN ${digestOf("'rare'")} ELSE branch_digest END,
      CASE WHEN ${rare} THEN 'rare' ELSE source END,
      CASE WHEN ${rare} THEN ${digestOf("'rare'")} ELSE source_digest END,
      CASE WHEN ${rare} THEN 2 ELSE pr END, created_at + n * interval '1 second'
    FROM test_runs, generate_series(1, 4000) n
  `
  yield* sql`
    INSERT INTO idempotent_answers
    SELECT account_id, 'h' || n, request_hash, sealed_answer, expires_at
    FROM idempotent_answers, generate_series(1, 4000) n
  `
  yield* sql`ANALYZE`
  return { account, build, home, key, once, preview, repository, reservation }
})

/** The rows that an effect reads from the tables. */
const rowsRead = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`SELECT pg_stat_force_next_flush()`
    yield* sql`SELECT pg_stat_reset()`
    yield* effect
    yield* sql`SELECT pg_stat_force_next_flush()`
    const [row] = yield* sql`
      SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer AS rows FROM pg_stat_user_tables
    `
    return Number(row?.["rows"])
  })

layer(layerMetadata.pipe(Layer.provideMerge(layerMigrations), Layer.provideMerge(layerPglite())))(
  "among thousands of rows",
  (it) => {
    it.effect("every call but the list of all accounts reads a handful", () =>
      Effect.gen(function* () {
        const accounts = yield* AccountStore
        const keys = yield* KeyStore
        const repositories = yield* RepositoryStore
        const builds = yield* BuildStore
        const previews = yield* PreviewStore
        const runs = yield* TestRunStore
        const idempotency = yield* IdempotencyStore
        const { account, build, home, key, once, preview, repository, reservation } = yield* fill
        const at = keyOf(repository)
        const next = reserveAgain(home, build)
        const finalized = onFinalize(next.build, reservation, { now: instant(9), hostedPrefix: "hosted/x/y/" })
        const replacement = makeKey(account)
        const answered = [account.id, once.answer.keyHash, once.now] as const
        const ready = onPreviewFinalize(preview, { now: instant(9), hostedPrefix: "hosted/x/y/" })
        const list = (filter: RunFilter, after: Option.Option<RunPlace> = Option.none()) =>
          Effect.map(runs.list({ account: account.id, repository: at, filter, after, limit: 10 }), (found) =>
            assert.strictEqual(Option.getOrThrow(found).length, 10)
          )
        const middle = { createdAt: instant(2_000_000), id: TestRunId.make("x") }
        const rare = { branch: "rare", source: "rare", pr: 2, kind: "detox", status: "failed" } as const

        const calls: Record<string, Effect.Effect<unknown, unknown>> = {
          "accounts.insert": accounts.insert(makeAccount()),
          "accounts.findByName": accounts.findByName(account.name),
          "keys.insert": keys.insert(makeKey(account)),
          "keys.findByHash": keys.findByHash(key.hash),
          "keys.findById": keys.findById(key.id),
          "keys.list": keys.list(account.id),
          "keys.touch": keys.touch(key.id, instant(1)),
          "keys.rotate": keys.rotate({ old: key.id, oldExpiresAt: instant(9), now: instant(2), replacement }),
          "keys.revoke": keys.revoke(key.id, instant(3)),
          "repositories.link": repositories.link(makeRepository(account)),
          "repositories.find": repositories.find(account.id, at),
          "repositories.list": repositories.list(account.id),
          "builds.findSlot": builds.findSlot(account.id, at, build),
          "builds.findByToken": builds.findByToken(reservation.tokenHash),
          "builds.findById": builds.findById(account.id, build.id),
          "builds.findLatest, one alive": builds.findLatest(account.id, at, "main", "ios", instant(4)),
          "builds.findLatest, none alive": builds.findLatest(account.id, at, "main", "ios", instant(1e9)),
          "builds.commitReserve": builds.commitReserve(next),
          "builds.commitFinalize": builds.commitFinalize(finalized),
          "previews.findByToken": previews.findByToken(preview.tokenHash),
          "previews.findByShareId": previews.findByShareId(account.id, preview.shareId),
          "previews.commitReserve": previews.commitReserve({ preview: makePreview(account), once: makeOnce(account) }),
          "previews.commitFinalize": previews.commitFinalize({ preview: ready, billed: true }),
          "previews.usage": previews.usage(account.id),
          "runs.findGround": runs.findGround(account.id, at, preview.shareId),
          "runs.insert": runs.insert({ run: makeRun(repository, preview), once: makeOnce(account) }),
          "runs.insert, answered already": Effect.flip(runs.insert({ run: makeRun(repository, preview), once })),
          "runs.find": runs.find(account.id, TestRunId.make("t4")),
          "runs.list": list({}),
          "runs.list, behind a run": list({}, Option.some(middle)),
          "runs.list, by everything that most have": list({ branch: "main", source: "ci", pr: 1, kind: "maestro" }),
          "runs.list, of a rare branch": list({ branch: rare.branch }),
          "runs.list, of a rare source": list({ source: rare.source }),
          "runs.list, of a rare pull request": list({ pr: rare.pr }),
          "runs.list, of a rare kind": list({ kind: rare.kind }),
          "runs.list, of a rare status": list({ status: rare.status }),
          "runs.list, of everything rare": list(rare),
          "runs.list, of what is rare among what most have": list({ branch: "rare", status: "failed", source: "rare" }),
          "idempotency.find": idempotency.find(...answered),
          "repositories.unlink": repositories.unlink(account.id, at)
        }
        for (const [name, call] of Object.entries(calls)) {
          assert.isAtMost(yield* rowsRead(call), 16, `rows read by ${name}`)
        }
        assert.isAtLeast(yield* rowsRead(accounts.list), 4000)
      })
    )
  }
)
