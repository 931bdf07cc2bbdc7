/** The application of docs/embedding-effect.md, on a PostgreSQL database of its own. */
import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect, Redacted, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { spawn } from "node:child_process"
import { it } from "../../core/testing/layer.ts"
import { programOf, snippetsOf } from "../../.config/testing/snippets.ts"
import { freePort } from "../../adapters/postgres/testing/freePort.ts"
import { newDatabase } from "../../adapters/postgres/testing/server.ts"

/** Runs the application until the scope closes. Answers its address. */
const started = Effect.fnUntraced(function* (database: string) {
  const text = snippetsOf("docs/embedding-effect.md").find(({ language }) => language === "ts")?.text ?? ""
  const { file, folder, remove } = programOf(text)
  yield* Effect.addFinalizer(() => Effect.sync(remove))
  const port = yield* Effect.promise(freePort)
  const env = { ...process.env, DATABASE_URL: database, PORT: `${port}`, SLIPWAY_SECRET: "s".repeat(44) }
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, [file], { cwd: folder, env, stdio: "inherit" })),
    (child) => Effect.sync(() => void child.kill())
  )
  const url = `http://127.0.0.1:${port}`
  // Effect's server listens before its routes are there, and never answers what comes until then.
  const asked = Effect.tryPromise(() => fetch(`${url}/slipway/openapi.json`, { signal: AbortSignal.timeout(2000) }))
  yield* Effect.retry(asked, Schedule.spaced("200 millis").pipe(Schedule.upTo({ duration: "60 seconds" })))
  return url
})

it.live("an application on its own PgClient stores its rows and Slipway's together, or neither", function* () {
  const database = yield* newDatabase
  const url = yield* started(database)
  const release = () => Effect.promise(() => fetch(`${url}/releases`, { method: "POST" }))
  const first = yield* release()
  assert.strictEqual(first.status, 200)
  assert.notProperty(Object.fromEntries(first.headers), "content-security-policy")

  yield* Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const reserved = Effect.map(sql`SELECT id FROM build_reservations`, (rows) => rows.length)
    assert.strictEqual(yield* reserved, 1)
    // The same build again: its id is in the application's table already, so that neither row is stored.
    assert.strictEqual((yield* release()).status, 500)
    assert.strictEqual(yield* reserved, 1)
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(database) })))
})
