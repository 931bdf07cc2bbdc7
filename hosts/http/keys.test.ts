/** The life of a key, as seen by requests over real HTTP. @see docs/interface.md#5 */
import { assert } from "@effect/vitest"
import { DateTime, Duration, Effect } from "effect"
import { TestClock } from "effect/testing"
import type { KeyId } from "../../core/model/ApiKey.ts"
import { inMemory } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { postPreview, previewBody } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"

/** Sends a request with a key that has all scopes: 404 if the key is valid, else 401. */
const statusWith = Effect.fnUntraced(function* (key: string) {
  const host = yield* TestHost
  const answers = yield* Effect.all([
    host.call("GET", "/api/v1/builds/x", { key }),
    host.call("GET", "/api/v1/previews/x", { key }),
    host.call("GET", "/api/v1/test-runs?org=Nobody&repo=nothing", { key })
  ])
  const statuses = new Set(answers.map(({ status }) => status))
  assert.strictEqual(statuses.size, 1)
  const [status] = statuses
  if (status === 401) for (const answer of answers) yield* refusal(answer, 401, "unauthorized")
  return status
})

/** Each scope, the scopes that don't replace it, and the requests that need it. */
const groups = [
  [
    "builds",
    ["preview_upload", "test_runs"],
    [
      ["POST", "builds"],
      ["GET", "builds?owner=a"],
      ["GET", "builds/x"]
    ]
  ],
  [
    "preview_upload",
    ["builds", "test_runs"],
    [
      ["POST", "previews"],
      ["POST", "previews/finalize"],
      ["GET", "previews/x"]
    ]
  ],
  [
    "test_runs",
    ["builds", "preview_upload"],
    [
      ["POST", "test-runs"],
      ["GET", "test-runs?org=a&repo=b"]
    ]
  ]
] as const

const newKeyed = newAccount(["builds", "preview_upload", "test_runs"])

const lastUsed = Effect.fnUntraced(function* (account: string, id: KeyId) {
  const host = yield* TestHost
  const { keys } = yield* host.admin.listKeys({ account })
  const at = keys.find((key) => key.id === id)?.lastUsedAt
  return at === undefined ? undefined : DateTime.toEpochMillis(at)
})

const now = Effect.map(DateTime.now, DateTime.toEpochMillis)

layer(TestHost.layer(inMemory))("keys", (it) => {
  it.effect("§5 a refused key changes nothing and is not used", function* () {
    const host = yield* TestHost
    const account = yield* newKeyed
    yield* host.admin.revokeKey({ id: account.keyId })
    yield* refusal(yield* postPreview(account, previewBody()), 401, "unauthorized")
    assert.isUndefined(yield* lastUsed(account.name, account.keyId))
  })

  it.effect("§5 rotated with an overlap, both keys work during it and only the new one afterwards", function* () {
    const host = yield* TestHost
    const account = yield* newKeyed
    const fresh = yield* host.admin.rotateKey({ id: account.keyId, overlap: Duration.hours(24) })
    assert.notStrictEqual(fresh.key, account.key)
    assert.deepStrictEqual(fresh.record.scopes, ["builds", "preview_upload", "test_runs"])
    assert.strictEqual(yield* statusWith(account.key), 404)
    assert.strictEqual(yield* statusWith(fresh.key), 404)
    yield* TestClock.adjust("1439 minutes")
    assert.strictEqual(yield* statusWith(account.key), 404)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* statusWith(account.key), 401)
    assert.strictEqual(yield* statusWith(fresh.key), 404)
  })

  it.effect(
    "§5 a rotated key has the old scopes and a new lifetime; the old key never lives longer than before",
    function* () {
      const host = yield* TestHost
      const { name } = yield* newKeyed
      const order = { account: name, name: "narrow", scopes: ["builds"], life: Duration.hours(10) } as const
      const old = yield* host.admin.createKey(order)
      yield* TestClock.adjust("4 hours")
      const fresh = yield* host.admin.rotateKey({ id: old.record.id, overlap: Duration.hours(24) })
      const read = (key: string, path: string) =>
        Effect.map(host.call("GET", `/api/v1/${path}`, { key }), ({ status }) => status)
      assert.strictEqual(yield* read(fresh.key, "builds/x"), 404)
      assert.strictEqual(yield* read(fresh.key, "previews/x"), 403)
      yield* TestClock.adjust("6 hours")
      assert.strictEqual(yield* read(old.key, "builds/x"), 401)
      assert.strictEqual(yield* read(fresh.key, "builds/x"), 404)
      yield* TestClock.adjust("4 hours")
      assert.strictEqual(yield* read(fresh.key, "builds/x"), 401)
    }
  )

  for (const [scope, others, requests] of groups) {
    it.effect(`§5 every endpoint of its group needs the scope ${scope}`, function* () {
      const host = yield* TestHost
      const { key } = yield* newAccount(others)
      for (const [method, path] of requests) {
        const answer = yield* host.call(method, `/api/v1/${path}`, { key })
        const problem = yield* refusal(answer, 403, "insufficient_scope")
        const challenge = `Bearer error="insufficient_scope", scope="${scope}"`
        assert.strictEqual(answer.headers.get("www-authenticate"), challenge)
        assert.deepStrictEqual(problem._tag === "InsufficientScope" && problem.requiredScopes, [scope])
      }
    })
  }

  it.effect("a key's last use is stored, at most once a minute", function* () {
    const account = yield* newKeyed
    assert.isUndefined(yield* lastUsed(account.name, account.keyId))
    const first = yield* now
    yield* statusWith(account.key)
    assert.strictEqual(yield* lastUsed(account.name, account.keyId), first)
    yield* TestClock.adjust("59 seconds")
    yield* statusWith(account.key)
    assert.strictEqual(yield* lastUsed(account.name, account.keyId), first)
    yield* TestClock.adjust("1 seconds")
    yield* statusWith(account.key)
    assert.strictEqual(yield* lastUsed(account.name, account.keyId), first + 60_000)
  })

  it.effect("a request that lacks the scope also counts as a use of the key", function* () {
    const account = yield* newAccount(["builds"])
    yield* refusal(yield* postPreview(account, previewBody()), 403, "insufficient_scope")
    assert.strictEqual(yield* lastUsed(account.name, account.keyId), yield* now)
  })
})
