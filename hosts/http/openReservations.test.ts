/** How many reservations an account may have open, over HTTP. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { testEngines } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { finalizePreview, postPreview, previewBody, reservePreview } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import { bundle, commit, finalize, latest, post, put, reserve, reserveBody, type Account } from "./testing/uploads.ts"

const most = 3

/** Two builds and a preview, reserved ten minutes apart; each reservation lives an hour. */
const fill = Effect.fnUntraced(function* (account: Account) {
  const first = yield* reserve(account, { commitSha: commit(1) })
  yield* TestClock.adjust("10 minutes")
  const second = yield* reserve(account, { commitSha: commit(2) })
  yield* TestClock.adjust("10 minutes")
  const third = yield* reservePreview(account)
  return { first, second, third }
})

const uploader = newAccount(["builds", "preview_upload"])

const reserveNext = (account: Account, n: number) => post(account, reserveBody(account, { commitSha: commit(n) }))
const previewNext = (account: Account) => postPreview(account, previewBody())

const assertRateLimited = Effect.fnUntraced(function* (answer: HttpResponse, seconds: number) {
  const problem = yield* refusal(answer, 429, "rate_limited")
  assert.strictEqual(answer.headers.get("retry-after"), `${seconds}`)
  assert.strictEqual(answer.headers.get("ratelimit-policy"), '"open-reservations";q=3')
  assert.strictEqual(answer.headers.get("ratelimit"), `"open-reservations";r=0;t=${seconds}`)
  assert.strictEqual(
    problem.detail,
    "This account has 3 open reservations, as many as it may have; finalize one, or wait until one ends."
  )
})

for (const engines of testEngines()) {
  layer(TestHost.layer(engines, { openReservations: most }))(
    `open reservations on ${engines.metadata} and ${engines.objects}`,
    (it) => {
      it.effect(
        "one above the limit is rate_limited until the first reservation ends, and stores nothing",
        function* () {
          const account = yield* uploader
          yield* fill(account)
          const before = yield* latest(account)
          yield* assertRateLimited(yield* reserveNext(account, 4), 40 * 60)
          yield* assertRateLimited(yield* previewNext(account), 40 * 60)
          assert.strictEqual((yield* latest(account)).text, before.text)
          yield* TestClock.adjust("39 minutes")
          yield* TestClock.adjust("59 seconds")
          yield* assertRateLimited(yield* reserveNext(account, 4), 1)
          yield* TestClock.adjust("1 second")
          assert.strictEqual((yield* reserveNext(account, 4)).status, 201)
          yield* assertRateLimited(yield* previewNext(account), 10 * 60)
        }
      )

      it.effect("finalizing makes room, for a build and for a preview", function* () {
        const account = yield* uploader
        const { first, third } = yield* fill(account)
        yield* put(first.slots.bundle, bundle)
        assert.strictEqual((yield* finalize(account, first.token)).status, 201)
        assert.strictEqual((yield* previewNext(account)).status, 201)
        assert.strictEqual((yield* previewNext(account)).status, 429)
        yield* put(third.slots.bundle, bundle)
        assert.strictEqual((yield* finalizePreview(account, third.token)).status, 201)
        assert.strictEqual((yield* reserveNext(account, 4)).status, 201)
        assert.strictEqual((yield* reserveNext(account, 5)).status, 429)
      })

      it.effect("another account may still reserve, and a repeated request gets its earlier answer", function* () {
        const host = yield* TestHost
        const [account, other] = [yield* uploader, yield* uploader]
        const again = host.call("POST", "/api/v1/previews", {
          key: account.key,
          body: previewBody(),
          headers: { "idempotency-key": "the-first" }
        })
        const first = yield* again
        assert.strictEqual(first.status, 201)
        yield* reserve(account, { commitSha: commit(1) })
        yield* reserve(account, { commitSha: commit(2) })
        assert.strictEqual((yield* previewNext(account)).status, 429)
        assert.strictEqual((yield* again).text, first.text)
        assert.strictEqual((yield* reserveNext(other, 1)).status, 201)
      })

      it.effect("a repository that isn't the account's is still not_found", function* () {
        const [account, other] = [yield* uploader, yield* uploader]
        yield* fill(account)
        const { owner, repo } = other
        yield* refusal(yield* post(account, reserveBody(account, { owner, repo })), 404, "not_found")
        yield* refusal(yield* postPreview(account, previewBody({ owner, repo })), 404, "not_found")
      })

      it.effect("many concurrent requests stay within the bound", function* () {
        const account = yield* uploader
        const answers = yield* Effect.forEach(
          Array.from({ length: 100 }, (_, n) => n),
          (n) => (n % 2 === 0 ? reserveNext(account, n) : previewNext(account)),
          { concurrency: "unbounded" }
        )
        const reserved = answers.filter(({ status }) => status === 201)
        for (const answer of answers) assert.include([201, 429], answer.status, answer.text)
        assert.strictEqual(reserved.length, most)
      })

      it.effect(
        "of concurrent requests with one key, the first one takes the last slot, and all get its answer",
        function* () {
          const host = yield* TestHost
          for (const [path, body] of [
            ["/api/v1/builds", (account: Account) => reserveBody(account, { commitSha: commit(9) })],
            ["/api/v1/previews", () => previewBody()]
          ] as const) {
            const account = yield* uploader
            yield* reserve(account, { commitSha: commit(1) })
            yield* reserve(account, { commitSha: commit(2) })
            const request = { key: account.key, body: body(account), headers: { "idempotency-key": "the-last-slot" } }
            const answers = yield* Effect.all(
              Array.from({ length: 20 }, () => host.call("POST", path, request)),
              { concurrency: "unbounded" }
            )
            for (const { status, text } of answers) assert.deepStrictEqual([status, text], [201, answers[0]?.text])
          }
        }
      )
    }
  )
}
