/** Quarantines over real HTTP: who may change them, what is refused, and what a list has. */
import { assert } from "@effect/vitest"
import { Duration, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { QuarantineList, QuarantineRecord } from "../../core/api/quarantines.ts"
import { inMemory } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import type { Account } from "./testing/uploads.ts"

const asList = Schema.decodeUnknownEffect(Schema.toEncoded(QuarantineList))
const asRecord = Schema.decodeUnknownEffect(Schema.toEncoded(QuarantineRecord))

const tide = { kind: "maestro", name: "Tide", reason: "Waits for the moon" }
const pathOf = ({ owner, repo }: Account, more: Record<string, string> = {}) =>
  `/api/v1/quarantines?${new URLSearchParams({ org: owner, repo, ...more })}`

const post = Effect.fnUntraced(function* (account: Account, body: unknown, key = account.key) {
  return yield* (yield* TestHost).call("POST", pathOf(account), { key, body })
})

const add = Effect.fnUntraced(function* (account: Account, body: unknown) {
  const answer = yield* post(account, body)
  assert.strictEqual(answer.status, 201, answer.text)
  return yield* asRecord(answer.json)
})

const list = Effect.fnUntraced(function* (account: Account, more: Record<string, string> = {}) {
  const answer = yield* (yield* TestHost).call("GET", pathOf(account, more), { key: account.key })
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* asList(answer.json)
})

const owner = newAccount(["test_runs", "quarantine"])

layer(TestHost.layer(inMemory))("quarantines", (it) => {
  it.effect("hold for 14 days unless the request says until when, and replace one of the same test", function* () {
    const account = yield* owner
    const added = yield* add(account, tide)
    const { createdAt, expiresAt, id, ...rest } = added
    assert.match(id, /^[\da-f]{32}$/)
    assert.strictEqual(Date.parse(expiresAt) - Date.parse(createdAt), Duration.toMillis("14 days"))
    assert.deepStrictEqual(rest, { ...tide, expired: false, passesInARow: 0 } as typeof rest)
    yield* TestClock.adjust("1 second")
    const again = yield* add(account, { ...tide, owner: "ada", days: 90 })
    assert.deepStrictEqual([again.id, again.owner], [id, "ada"])
    const elsewhere = yield* add(account, { ...tide, platform: "ios", file: "tide.yaml", app: "shop" })
    assert.notStrictEqual(elsewhere.id, id)
    const { quarantines } = yield* list(account)
    assert.sameMembers(
      quarantines.map((one) => one.id),
      [id, elsewhere.id]
    )
    yield* TestClock.adjust("91 days")
    assert.deepStrictEqual(
      (yield* list(account)).quarantines.map(({ expired }) => expired),
      [true, true]
    )
  })

  it.effect("are listed in pages, the newest first", function* () {
    const account = yield* owner
    for (const name of ["a", "b", "c"]) {
      yield* add(account, { ...tide, name })
      yield* TestClock.adjust("1 second")
    }
    const first = yield* list(account, { limit: "2" })
    const second = yield* list(account, { limit: "2", cursor: first.cursor ?? "" })
    assert.deepStrictEqual(
      [...first.quarantines, ...second.quarantines].map(({ name }) => name),
      ["c", "b", "a"]
    )
    assert.isUndefined(second.cursor)
    const { call } = yield* TestHost
    assert.deepStrictEqual(yield* issuePaths(yield* call("GET", pathOf(account, { cursor: "?" }), account)), ["cursor"])
  })

  it.effect("are refused with the field that doesn't fit, and nothing is stored", function* () {
    const account = yield* owner
    const ends = (hours: number) => new Date(hours * 3_600_000).toISOString()
    for (const [body, path] of [
      [{ ...tide, name: undefined }, "name"],
      [{ ...tide, prompt: "Do it" }, "prompt"],
      [{ ...tide, reason: "" }, "reason"],
      [{ ...tide, reason: "x".repeat(501) }, "reason"],
      [{ ...tide, owner: "x".repeat(101) }, "owner"],
      [{ ...tide, days: 91 }, "days"],
      [{ ...tide, days: 0 }, "days"],
      [{ ...tide, day: 3 }, "day"],
      [{ ...tide, days: 3, expiresAt: ends(1e6) }, "days"],
      [{ ...tide, expiresAt: ends(-1) }, "expiresAt"],
      [{ ...tide, expiresAt: ends(1e7) }, "expiresAt"],
      [{ ...tide, kind: "jest" }, "kind"]
    ] as const) {
      assert.deepStrictEqual(yield* issuePaths(yield* post(account, body)), [path], JSON.stringify(body))
    }
    assert.deepStrictEqual(yield* list(account), { quarantines: [] })
  })

  it.effect("are changed by keys with the scope alone, and not by another account", function* () {
    const { admin, call } = yield* TestHost
    const [account, stranger] = [yield* owner, yield* owner]
    const { id } = yield* add(account, tide)
    const reader = yield* admin.createKey({ account: account.name, name: "reader", scopes: ["test_runs"] })
    yield* refusal(yield* post(account, tide, reader.key), 403, "insufficient_scope")
    const at = `/api/v1/quarantines/${id}`
    yield* refusal(yield* call("DELETE", at, { key: reader.key }), 403, "insufficient_scope")
    yield* refusal(yield* post(account, tide, stranger.key), 404, "not_found")
    yield* refusal(yield* call("DELETE", at, stranger), 404, "not_found")
    const { status } = yield* call("GET", pathOf(account), { key: reader.key })
    assert.strictEqual(status, 200)
    assert.strictEqual((yield* call("DELETE", at, account)).status, 204)
    yield* refusal(yield* call("DELETE", at, account), 404, "not_found")
    assert.deepStrictEqual(yield* list(account), { quarantines: [] })
  })
})
