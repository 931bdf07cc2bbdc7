/** `Idempotency-Key` on every reserving and registering endpoint, over real HTTP. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { inMemory } from "./testing/engines.ts"
import {
  finalizePreview,
  listed,
  postPreview,
  previewBody,
  readyPreview,
  register,
  reservePreview,
  runBody
} from "./testing/previews.ts"
import { layer } from "../../core/testing/layer.ts"
import { issuePaths, refusal } from "./testing/refusals.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import { bundle, commit, put, reserveBody, type Account } from "./testing/uploads.ts"

type Fields = Record<string, unknown>

const newUploader = newAccount(["builds", "preview_upload", "test_runs"])

const named = (key: string) => ({ "idempotency-key": key })

const reserveBuild = Effect.fnUntraced(function* (account: Account, body: Fields, headers: Record<string, string>) {
  const host = yield* TestHost
  return yield* host.call("POST", "/api/v1/builds", { key: account.key, body, headers })
})

/** The requests that accept a key: a valid body, another one, and one that is refused for its state or owner. */
const requests = (account: Account, shareId: string) => [
  {
    what: "a build's reservation",
    send: reserveBuild,
    body: reserveBody(account),
    other: reserveBody(account, { commitSha: commit(2) }),
    refused: reserveBody({ ...account, owner: "Nobody" })
  },
  {
    what: "a preview's reservation",
    send: postPreview,
    body: previewBody({ branch: "main", deviceSpec: { width: 1, height: 2 } }),
    other: previewBody({ branch: "main", deviceSpec: { width: 1, height: 3 } }),
    refused: previewBody({ owner: "Nobody", repo: "nothing" })
  },
  {
    what: "a run's registration",
    send: register,
    body: runBody(account, shareId),
    other: runBody(account, shareId, { name: "Another" }),
    refused: runBody(account, "0".repeat(22))
  }
]

const assertSame = (answers: ReadonlyArray<HttpResponse>, what: string): HttpResponse => {
  const [first] = answers
  for (const answer of answers) {
    assert.strictEqual(answer.status, 201, answer.text)
    assert.strictEqual(answer.text, first!.text, what)
    assert.strictEqual(answer.headers.get("location"), first!.headers.get("location"), what)
  }
  return first!
}

const countRuns = (account: Account) => Effect.map(listed(account, { limit: "100" }), ({ testRuns }) => testRuns.length)

const prepared = Effect.gen(function* () {
  const account = yield* newUploader
  const { shareId } = yield* readyPreview(account)
  return { account, requests: requests(account, shareId), shareId }
})

layer(TestHost.layer(inMemory))("Idempotency-Key", (it) => {
  it.effect("the same key with the same body answers the first answer again, byte for byte", function* () {
    const { account, requests } = yield* prepared
    for (const { body, send, what } of requests) {
      const headers = named(`again: ${what}`.replaceAll(" ", "-"))
      const first = yield* send(account, body, headers)
      yield* TestClock.adjust("1 minute")
      const reordered = Object.fromEntries(Object.entries(body).toReversed())
      assertSame([first, yield* send(account, body, headers), yield* send(account, reordered, headers)], what)
    }
    assert.strictEqual(yield* countRuns(account), 1)
  })

  it.effect(
    "of sixteen concurrent requests with one key and two bodies, one body is executed and the other refused",
    function* () {
      const { account, requests } = yield* prepared
      for (const { body, other, send, what } of requests) {
        const headers = named("two-bodies".concat(what.replaceAll(" ", "-")))
        const answers = yield* Effect.all(
          Array.from({ length: 16 }, (_, index) => send(account, index % 2 === 0 ? body : other, headers)),
          { concurrency: "unbounded" }
        )
        const done = answers.filter(({ status }) => status === 201)
        assert.lengthOf(done, 8, what)
        assertSame(done, what)
        for (const answer of answers.filter(({ status }) => status !== 201)) {
          yield* refusal(answer, 409, "idempotency_conflict")
        }
      }
      assert.strictEqual(yield* countRuns(account), 1)
    }
  )

  it.effect("the same key with another body is idempotency_conflict, and nothing is done", function* () {
    const { account, requests } = yield* prepared
    for (const { body, other, send, what } of requests) {
      const headers = named("conflict".concat(what.replaceAll(" ", "-")))
      const first = yield* send(account, body, headers)
      yield* refusal(yield* send(account, other, headers), 409, "idempotency_conflict")
      assertSame([first, yield* send(account, body, headers)], what)
    }
    assert.strictEqual(yield* countRuns(account), 1)
  })

  it.effect("a key belongs to one request, whichever endpoint it was sent to", function* () {
    const { account, requests } = yield* prepared
    for (const [at, first] of requests.entries()) {
      const headers = named(`endpoint-${at}`)
      assert.strictEqual((yield* first.send(account, first.body, headers)).status, 201)
      for (const second of requests) {
        if (second === first) continue
        yield* refusal(yield* second.send(account, second.body, headers), 409, "idempotency_conflict")
      }
    }
  })

  it.effect("the status of a run is part of the request, and absent differs from null", function* () {
    const { account, shareId } = yield* prepared
    const sent = [undefined, null, "failed", "\ud800", 0, [], {}, { a: 1, b: { c: [1, 2], d: 2 } }]
    for (const [at, status] of sent.entries()) {
      const headers = named(`status-${at}`)
      const first = yield* register(account, runBody(account, shareId, { status }), headers)
      assertSame([first, yield* register(account, runBody(account, shareId, { status }), headers)], `${at}`)
      for (const other of sent) {
        if (other === status) continue
        const answer = yield* register(account, runBody(account, shareId, { status: other }), headers)
        yield* refusal(answer, 409, "idempotency_conflict")
      }
    }
    const [a, b] = [{ x: { y: 1, z: [{ p: 1, q: 2 }] } }, { x: { z: [{ q: 2, p: 1 }], y: 1 } }]
    const one = yield* register(account, runBody(account, shareId, { status: a }), named("order"))
    assertSame([one, yield* register(account, runBody(account, shareId, { status: b }), named("order"))], "order")
  })

  it.effect("a status nested as deep as is read counts as any status other than `passed`", function* () {
    const host = yield* TestHost
    const { account, shareId } = yield* prepared
    const body = JSON.stringify(runBody(account, shareId, { status: 0 }))
    const deep = (n: number) => body.replace('"status":0', `"status":${"[".repeat(n)}${"]".repeat(n)}`)
    const send = (headers: Record<string, string>, raw: string) =>
      host.call("POST", "/api/v1/test-runs", {
        key: account.key,
        raw,
        headers: { "content-type": "application/json", ...headers }
      })
    assert.strictEqual((yield* send({}, deep(66))).status, 201)
    const first = yield* send(named("deep"), deep(66))
    assertSame([first, yield* send(named("deep"), deep(66))], "deep")
    yield* refusal(yield* send(named("deep"), deep(65)), 409, "idempotency_conflict")
    assert.strictEqual(yield* countRuns(account), 2)
  })

  it.effect("a key can be reused after 24 hours", function* () {
    const { account, requests } = yield* prepared
    for (const { body, other, send, what } of requests) {
      const headers = named("a-day".concat(what.replaceAll(" ", "-")))
      const first = yield* send(account, body, headers)
      yield* TestClock.adjust("23 hours")
      yield* TestClock.adjust("59 minutes")
      assertSame([first, yield* send(account, body, headers)], what)
      yield* TestClock.adjust("1 minute")
      const second = yield* send(account, other, headers)
      assert.strictEqual(second.status, 201, second.text)
      assert.notStrictEqual(second.text, first.text)
      assertSame([second, yield* send(account, other, headers)], what)
    }
  })

  it.effect("another API key of the account gets the same answer; one without the scope gets none", function* () {
    const host = yield* TestHost
    const { account, requests, shareId } = yield* prepared
    const second = yield* host.admin.createKey({
      account: account.name,
      name: "second",
      scopes: ["builds", "preview_upload", "test_runs"]
    })
    for (const { body, send, what } of requests) {
      const headers = named("keys".concat(what.replaceAll(" ", "-")))
      const first = yield* send(account, body, headers)
      assertSame([first, yield* send({ ...account, key: second.key }, body, headers)], what)
    }
    const unbilled = yield* host.admin.createKey({
      account: account.name,
      name: "unbilled",
      scopes: ["preview_upload"]
    })
    const body = previewBody({ billingKind: "test_run" })
    assert.strictEqual((yield* postPreview(account, body, named("billed"))).status, 201)
    yield* refusal(yield* postPreview(unbilled, body, named("billed")), 403, "insufficient_scope")
    yield* refusal(yield* register(unbilled, runBody(account, shareId), named("billed")), 403, "insufficient_scope")
  })

  it.effect("a refused request stores nothing, so the corrected request can use the same key", function* () {
    const { account, requests, shareId } = yield* prepared
    for (const { body, refused, send, what } of requests) {
      const headers = named("refused".concat(what.replaceAll(" ", "-")))
      yield* refusal(yield* send(account, refused, headers), 404, "not_found")
      yield* refusal(yield* send(account, {}, headers), 400, "invalid_request")
      yield* refusal(yield* send({ ...account, key: "wrong" }, body, headers), 401, "unauthorized")
      assert.strictEqual((yield* send(account, body, headers)).status, 201, what)
    }
    // The same request was refused at first because its preview wasn't ready.
    const waiting = yield* reservePreview(account)
    const body = runBody(account, waiting.shareId)
    yield* refusal(yield* register(account, body, named("waits")), 409, "preview_not_ready")
    yield* put(waiting.slots.bundle, bundle)
    yield* finalizePreview(account, waiting.token)
    const first = yield* register(account, body, named("waits"))
    assertSame([first, yield* register(account, body, named("waits"))], "waits")
    assert.notStrictEqual(shareId, waiting.shareId)
    assert.strictEqual(yield* countRuns(account), 2)
  })

  it.effect("a key is 1 to 255 visible ASCII characters; any other is refused, naming the header", function* () {
    const { account, requests } = yield* prepared
    for (const { body, send, what } of requests) {
      for (const key of ["a", "~!\"'\\{}", "x".repeat(255), "8e03978e-40d5-43dd-bc93-6894a57f9324"]) {
        const headers = named(key)
        assert.oneOf((yield* send(account, body, headers)).status, [201, 409], `${what}: ${key}`)
      }
      for (const key of ["", "two words", "x".repeat(256), "\u00e9"]) {
        const answer = yield* send(account, body, named(key))
        assert.deepStrictEqual(yield* issuePaths(answer), ["idempotency-key"], `${what}: ${key}`)
      }
    }
    // Each key was used by the first valid request.
    assert.strictEqual(yield* countRuns(account), 0)
  })
})
