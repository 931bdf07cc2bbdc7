/**
 * How many rows a call reads, by the database's own count, among some thousands: a call without an index, or with one
 * that doesn't fit, reads them all.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { onFinalize } from "../../core/rules/builds.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { RepositoryStore } from "../../core/ports/RepositoryStore.ts"
import { keyOf, newBuild, newHome, reserveAgain } from "../kit/buildPorts.ts"
import { instant, makeAccount, makeKey, makeRepository } from "../kit/samples.ts"
import { layer as layerPglite } from "../pglite/index.ts"
import { layer as layerMetadata, layerMigrations } from "./index.ts"

/** Thousands of rows in every table, among them 4,000 builds of the branch that is asked for, half of them ready. */
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
  yield* sql`ANALYZE`
  return { account, build, home, key, repository, reservation }
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
        const { account, build, home, key, repository, reservation } = yield* fill
        const at = keyOf(repository)
        const next = reserveAgain(home, build)
        const finalized = onFinalize(next.build, reservation, { now: instant(9), hostedPrefix: "hosted/x/y/" })
        const replacement = makeKey(account)

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
          "repositories.unlink": repositories.unlink(account.id, at)
        }
        for (const [name, call] of Object.entries(calls)) {
          assert.isAtMost(yield* rowsRead(call), 12, `rows read by ${name}`)
        }
        assert.isAtLeast(yield* rowsRead(accounts.list), 4000)
      })
    )
  }
)
