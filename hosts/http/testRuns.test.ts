/** The sentences of the interface about test runs, over real HTTP. */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { TestClock } from "effect/testing"
import { inMemory } from "./testing/engines.ts"
import {
  asRun,
  asRuns,
  everyRunField,
  list,
  listed,
  readyPreview,
  register,
  registered,
  reservePreview,
  runBody,
  uploader
} from "./testing/previews.ts"
import { layer } from "../../core/testing/layer.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import type { Account } from "./testing/uploads.ts"

const viewerUrl = "https://viewer.example"

/** An account with a preview that is ready. */
const prepared = Effect.gen(function* () {
  const account = yield* uploader
  const { shareId } = yield* readyPreview(account)
  return { account, shareId }
})

const idsOf = Effect.fnUntraced(function* (account: Account, query: Record<string, string> = {}) {
  return (yield* listed(account, query)).testRuns.map(({ id }) => id)
})

layer(TestHost.layer(inMemory, { viewerUrl }))("test runs", (it) => {
  it.effect("§2.7 every field of the registration is stored and returned in the record", function* () {
    const { account, shareId } = yield* prepared
    const body = runBody(account, shareId, everyRunField)
    const answer = yield* register(account, {
      ...body,
      commitSha: everyRunField.commitSha.toUpperCase(),
      colour: "blue"
    })
    assert.strictEqual(answer.status, 201, answer.text)
    const { id } = yield* asRun(answer.json)
    const record = {
      ...body,
      id,
      previewUrl: `${viewerUrl}/previews/${shareId}`,
      traceUrl: `${viewerUrl}/runs/${id}`,
      createdAt: DateTime.formatIso(yield* DateTime.now)
    }
    assert.deepStrictEqual(answer.json, record)
    assert.strictEqual(answer.headers.get("location"), record.traceUrl)
    assert.deepStrictEqual((yield* list(account)).json, { testRuns: [record] })
    const { call } = yield* TestHost
    assert.deepStrictEqual((yield* call("GET", `/api/v1/test-runs/${id}`, { key: account.key })).json, record)
  })

  it.effect("§2.7 omitted fields stay absent", function* () {
    const { account, shareId } = yield* prepared
    const run = yield* registered(account, shareId)
    assert.sameMembers(Object.keys(run), [
      "id",
      "previewShareId",
      "kind",
      "name",
      "status",
      "owner",
      "repo",
      "createdAt",
      "previewUrl",
      "traceUrl"
    ])
  })

  it.effect("§2.7 `failedStepIndex` counts from 0 and lies below `stepCount` where both are given", function* () {
    const { account, shareId } = yield* prepared
    for (const [stepCount, failedStepIndex] of [
      [1, 0],
      [12, 11],
      [undefined, 99]
    ]) {
      const run = yield* registered(account, shareId, { status: "failed", stepCount, failedStepIndex })
      assert.strictEqual(run.failedStepIndex, failedStepIndex)
    }
    for (const [stepCount, failedStepIndex] of [
      [0, 0],
      [1, 1],
      [12, 13]
    ]) {
      const body = runBody(account, shareId, { status: "failed", stepCount, failedStepIndex })
      assert.deepStrictEqual(yield* issuePaths(yield* register(account, body)), ["failedStepIndex"])
    }
    assert.lengthOf(yield* idsOf(account), 3)
  })

  it.effect("§4.10 `org` and `repo` are required, and each must be given once", function* () {
    const host = yield* TestHost
    const { account } = yield* prepared
    for (const [query, paths] of [
      ["", ["org", "repo"]],
      ["?org=a", ["repo"]],
      ["?repo=a", ["org"]],
      ["?org=&repo=", ["org", "repo"]],
      ["?org=a&org=b&repo=c", ["org"]],
      ["?owner=a&repo=c", ["org"]]
    ] as const) {
      const answer = yield* host.call("GET", `/api/v1/test-runs${query}`, { key: account.key })
      assert.deepStrictEqual(yield* issuePaths(answer), [...paths], query)
    }
  })

  it.effect(
    "§4.10 branch, kind, status, source and pr each filter; which runs they select is tested in the kit",
    function* () {
      const { account, shareId } = yield* prepared
      const wanted = { branch: "main", kind: "detox", status: "passed", source: "ci", pr: 7 }
      const { id } = yield* registered(account, shareId, wanted)
      const other = { branch: "Main", kind: "maestro", status: "failed", source: "local", pr: 8 }
      yield* registered(account, shareId, other)
      for (const [name, value] of Object.entries(wanted)) {
        assert.deepStrictEqual(yield* idsOf(account, { [name]: String(value) }), [id], name)
      }
    }
  )

  it.effect("§4.10 an invalid filter is refused by name", function* () {
    const { account } = yield* prepared
    for (const [name, values] of [
      ["branch", ["", "a\u0000b", "x".repeat(1025)]],
      ["kind", ["", "appium", "Detox"]],
      ["status", ["", "Passed", "flaky"]],
      ["source", ["", "a\nb", "x".repeat(1025)]],
      ["pr", ["", "0", "-1", "1.5", "x", "99999999999", "Infinity", "NaN", " ", "0x7"]],
      ["limit", ["x", "", " ", "1.5", "NaN", "Infinity", "10x", "0x10", "1e2", "null"]],
      ["cursor", ["", "x", "a".repeat(1025)]]
    ] as const) {
      for (const value of values) {
        const answer = yield* list(account, { [name]: value })
        assert.deepStrictEqual(yield* issuePaths(answer), [name], `${name}: ${JSON.stringify(value)}`)
      }
    }
    const all = { kind: "x", status: "x", pr: "x", limit: "x" }
    assert.sameMembers([...(yield* issuePaths(yield* list(account, all)))], Object.keys(all))
  })

  it.effect("keeps a run whose messages have ANSI codes, control characters or too many characters", function* () {
    const { account, shareId } = yield* prepared
    const most = 16 * 1024
    for (const [sent, stored] of [
      ["\u001b[31mred\u001b[0m\tand\nnext", "red\tand\nnext"],
      ["a\u0000b\u0007c", "a b c"],
      ["half a \ud83d", "half a \ufffd"],
      ["\u001b[31m\u001b[0m", "It has no readable text."],
      ["x".repeat(most), "x".repeat(most)],
      ["x".repeat(most + 1), `${"x".repeat(most - 7)}… (cut)`]
    ] as const) {
      const run = yield* registered(account, shareId, {
        status: "failed",
        failureMessage: sent,
        commitMessage: sent.slice(0, 500),
        attempts: [{ status: "failed", failureMessage: sent }, { status: "failed" }]
      })
      assert.strictEqual(run.failureMessage, stored)
      assert.strictEqual(run.attempts?.[0]?.failureMessage, stored)
      assert.strictEqual(run.commitMessage, stored.slice(0, 500))
    }
    const long = yield* registered(account, shareId, { commitMessage: "x".repeat(501) })
    assert.strictEqual(long.commitMessage, `${"x".repeat(493)}… (cut)`)
  })

  it.effect("§4.10 a page ends before it would be larger than 1 MiB, and its cursor leads to the rest", function* () {
    const { account, shareId } = yield* prepared
    const attempts = Array.from({ length: 20 }, () => ({ status: "failed", failureMessage: "x".repeat(16 * 1024) }))
    const ids: Array<string> = []
    for (const _ of Array.from({ length: 5 })) {
      ids.unshift((yield* registered(account, shareId, { attempts })).id)
      yield* TestClock.adjust("1 millis")
    }
    const first = yield* listed(account, { limit: "100" })
    const second = yield* listed(account, { limit: "100", cursor: first.nextCursor ?? "" })
    assert.deepStrictEqual(
      [first, second].map(({ testRuns }) => testRuns.map(({ id }) => id)),
      [ids.slice(0, 3), ids.slice(3)]
    )
    assert.isUndefined(second.nextCursor)
  })

  it.effect("§4.10 a cursor keeps the filters, and the last page has none even if it is full", function* () {
    const { account, shareId } = yield* prepared
    for (const index of Array.from({ length: 12 }).keys()) {
      yield* registered(account, shareId, { kind: index % 2 === 0 ? "maestro" : "detox" })
    }
    const first = yield* listed(account, { kind: "detox", limit: "3" })
    assert.lengthOf(first.testRuns, 3)
    const second = yield* listed(account, { kind: "detox", limit: "3", cursor: first.nextCursor ?? "" })
    assert.lengthOf(second.testRuns, 3)
    assert.isUndefined(second.nextCursor)
    const all = [...first.testRuns, ...second.testRuns]
    assert.strictEqual(new Set(all.map(({ id }) => id)).size, 6)
    for (const { kind } of all) assert.strictEqual(kind, "detox")
    assert.isUndefined((yield* listed(account, { limit: "12" })).nextCursor)
  })

  it.effect("§5 the order of checks is key, scope, body, ownership, state; and so for the list", function* () {
    const account = yield* uploader
    const unscoped = yield* newAccount(["builds"])
    const { shareId } = yield* reservePreview(account)
    const nobody = { owner: "Nobody", repo: "nothing" }
    yield* refusal(yield* register({ key: "wrong" }, {}), 401, "unauthorized")
    yield* refusal(yield* register(unscoped, {}), 403, "insufficient_scope")
    yield* refusal(yield* register(account, runBody(nobody, shareId, { kind: 1 })), 400, "invalid_request")
    yield* refusal(yield* register(account, runBody(nobody, shareId)), 404, "not_found")
    yield* refusal(yield* register(account, runBody(account, shareId)), 409, "preview_not_ready")
    yield* refusal(yield* list({ ...account, key: "wrong" }, { limit: "x" }), 401, "unauthorized")
    yield* refusal(yield* list(unscoped, { limit: "x" }), 403, "insufficient_scope")
    yield* refusal(yield* list(account, { org: "Nobody", limit: "x" }), 400, "invalid_request")
    yield* refusal(yield* list(account, { org: "Nobody", cursor: "x" }), 400, "invalid_request")
    yield* refusal(yield* list(account, { org: "Nobody" }), 404, "not_found")
    assert.deepStrictEqual((yield* asRuns((yield* list(account)).json)).testRuns, [])
  })
})
