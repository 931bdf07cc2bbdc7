import { assert, describe } from "@effect/vitest"
import { Deferred, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { it } from "../../core/testing/layer.ts"
import { layerClient } from "./index.ts"
import { makeDetour } from "./testing/detour.ts"
import { newDatabase } from "./testing/server.ts"

const layerOf = (url: string, maxConnections?: number) => layerClient({ url: Redacted.make(url), maxConnections })

const setting = (name: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<{ readonly value: string }>`SELECT current_setting(${name}) AS value`, ([row]) => row?.value)
  )

const process = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly id: number }>`SELECT pg_backend_pid() AS id`, ([row]) => row?.id)
)

describe("a database that can't be used when a host starts", () => {
  const starting = (url: string) => Effect.flip(Effect.scoped(Layer.build(layerOf(url))))

  it.live.each([
    {
      why: "nobody listens",
      url: "postgres://ci:hunter2@127.0.0.1:1/db",
      said: "ECONNREFUSED",
      place: "127.0.0.1:1/db"
    },
    {
      why: "no such host",
      url: "postgres://ci:hunter2@no.such.host.invalid/db",
      said: "no.such.host",
      place: "no.such.host.invalid/db"
    },
    { why: "no URL", url: "hunter2", said: "Invalid URL", place: "The database (DATABASE_URL)" },
    { why: "another kind of URL", url: "mysql://ci:hunter2@127.0.0.1/db", said: "mysql:", place: "127.0.0.1/db" }
  ])("is reported in one line that names the setting and holds no password: $why", function* ({ place, said, url }) {
    const { message } = yield* starting(url)
    for (const part of ["DATABASE_URL", place, said]) assert.include(message, part)
    assert.notInclude(message, "hunter2")
    assert.notInclude(message, "\n")
  })

  it.live("is reported in the server's own words: a wrong password, a missing database", function* () {
    const url = new URL(yield* newDatabase)
    const changed = (change: (url: URL) => void) => {
      const other = new URL(url)
      change(other)
      return Effect.map(starting(other.href), ({ message }) => message)
    }
    const wrong = yield* changed((other) => (other.password = "hunter2"))
    assert.include(wrong, "password authentication failed")
    assert.notInclude(wrong, "hunter2")
    assert.include(yield* changed((other) => (other.pathname = "/none")), `"none" does not exist`)
  })
})

describe("the pool of a host", () => {
  it.live("sets the time limits and the application name of each session", function* () {
    const url = yield* newDatabase
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* setting("statement_timeout"), "5s")
      assert.strictEqual(yield* setting("lock_timeout"), "3s")
      assert.strictEqual(yield* setting("idle_in_transaction_session_timeout"), "10s")
      assert.strictEqual(yield* setting("application_name"), "slipway")
    }).pipe(Effect.provide(layerOf(url)))
    const named = setting("application_name").pipe(Effect.provide(layerOf(`${url}?application_name=ours`)))
    assert.strictEqual(yield* named, "ours")
  })

  it.live("sets no limits where a pooler refuses settings", function* () {
    const detour = yield* makeDetour(yield* newDatabase)
    detour.refuse("statement_timeout")
    yield* Effect.gen(function* () {
      assert.strictEqual(yield* setting("statement_timeout"), "0")
      assert.strictEqual(yield* setting("application_name"), "slipway")
    }).pipe(Effect.provide(layerOf(detour.url)))
  })

  it.live("shares connections among statements and opens no more than its maximum", function* () {
    const url = yield* newDatabase
    const used = (maxConnections: number) =>
      Effect.map(
        Effect.all(
          Array.from({ length: 64 }, () => process),
          { concurrency: "unbounded" }
        ),
        (ids) => new Set(ids).size
      ).pipe(Effect.provide(layerOf(url, maxConnections)))
    assert.strictEqual(yield* used(1), 1)
    assert.isAtMost(yield* used(3), 3)
  })

  it.live("gives a transaction a connection of its own", function* () {
    const url = yield* newDatabase
    yield* Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const [begun, asked] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const transaction = sql.withTransaction(
        Effect.gen(function* () {
          const before = yield* process
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(asked)
          assert.strictEqual(yield* process, before)
          return before
        })
      )
      const beside = Effect.gen(function* () {
        yield* Deferred.await(begun)
        const others = yield* Effect.replicateEffect(process, 16, { concurrency: "unbounded" })
        yield* Deferred.succeed(asked, undefined)
        return others
      })
      const [own, others] = yield* Effect.all([transaction, beside], { concurrency: 2 })
      assert.strictEqual(others.length, 16)
      assert.notInclude(others, own)
    }).pipe(Effect.provide(layerOf(url)))
  })
})
