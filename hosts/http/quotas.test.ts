/** The quotas and the usage of an account, over HTTP. */
import { assert } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { UsageResponse } from "../../core/api/usage.ts"
import type { Amounts, Quotas } from "../../core/model/Account.ts"
import { bytesText } from "../../core/rules/amounts.ts"
import { bytesPerRecord, metadataBytesOf } from "../../core/rules/limits.ts"
import { signIn, visit } from "../viewer/testing/visit.ts"
import { testEngines } from "./testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { postPreview, previewBody, readyPreview, register, runBody } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost, type HttpResponse } from "./testing/TestHost.ts"
import {
  bundle,
  commit,
  latest,
  post,
  put,
  readyBuild,
  reserve,
  reserveBody,
  sha256,
  type Account
} from "./testing/uploads.ts"

const size = bundle.byteLength

const account = newAccount(["builds", "preview_upload", "test_runs"])

/** What the API says that the account uses and has reserved. */
const standing = Effect.fnUntraced(function* ({ key }: Pick<Account, "key">) {
  const { call } = yield* TestHost
  const answer = yield* call("GET", "/api/v1/usage", { key })
  assert.strictEqual(answer.status, 200, answer.text)
  return yield* Schema.decodeUnknownEffect(UsageResponse)(answer.json)
})

/** Checks a refusal, and that nothing is used or reserved by it. */
const exceeded = Effect.fnUntraced(function* (answer: HttpResponse, quota: keyof Amounts, used: number, limit: number) {
  const problem = yield* refusal(answer, 403, "quota_exceeded")
  assert.include(problem, { quota, used, limit })
  return problem.detail
})

/** What a reserved or ready build counts: its bundle, which is stored once, and its metadata. */
const metadata = metadataBytesOf({
  contentHash: sha256(bundle),
  bundleSizeBytes: size,
  bundleContentType: "text/javascript",
  isTransformed: false,
  files: []
})
const ofBuild = size + metadata

const quotas: Quotas = { bytesStored: 3 * ofBuild, bytesPerMonth: 4 * size, previewsPerMonth: 2, runsPerMonth: 1 }

for (const engines of testEngines()) {
  layer(TestHost.layer(engines, { quotas }))(`quotas on ${engines.metadata} and ${engines.objects}`, (it) => {
    it.effect("a key of any scope reads what its account uses, has reserved and may have", function* () {
      const { admin } = yield* TestHost
      const made = yield* account
      yield* admin.setQuotas({ account: made.name, quotas: { bytesStored: 2 ** 30 } })
      yield* TestClock.setTime(Date.UTC(2026, 10, 20))
      yield* readyBuild(made)
      yield* reserve(made, { commitSha: commit(2) })
      const preview = yield* readyPreview(made)
      assert.strictEqual((yield* register(made, runBody(made, preview.shareId))).status, 201)
      const { account: whose, resetsAt, ...usage } = yield* standing(made)
      assert.strictEqual(whose.name, made.name)
      assert.strictEqual(resetsAt.epochMilliseconds, Date.UTC(2026, 11, 1))
      assert.deepStrictEqual(usage, {
        month: "2026-11",
        bytesStored: { used: usage.bytesStored.used, reserved: size, limit: 2 ** 30 },
        bytesPerMonth: { used: size, reserved: size, limit: 4 * size },
        previewsPerMonth: { used: 1, reserved: 0, limit: 2 },
        runsPerMonth: { used: 1, reserved: 0, limit: 1 }
      })
      // The bundle of the preview is that of the build, and is stored once. Four records have metadata.
      assert.isAtLeast(usage.bytesStored.used, size + 4 * bytesPerRecord)
      assert.isAtMost(usage.bytesStored.used, size + 4 * bytesPerRecord + 4 * 300)
      const { call } = yield* TestHost
      yield* refusal(yield* call("GET", "/api/v1/usage"), 401, "unauthorized")
    })

    it.effect(
      "of concurrent registrations with one key, the first one uses the quota, and all get its answer",
      function* () {
        const { call } = yield* TestHost
        const made = yield* account
        const { shareId } = yield* readyPreview(made)
        const request = { key: made.key, body: runBody(made, shareId), headers: { "idempotency-key": "the-last-run" } }
        const answers = yield* Effect.all(
          Array.from({ length: 20 }, () => call("POST", "/api/v1/test-runs", request)),
          { concurrency: "unbounded" }
        )
        for (const { status, text } of answers) assert.deepStrictEqual([status, text], [201, answers[0]?.text])
      }
    )

    it.effect(
      "bytes that are kept are bounded, open reservations included, and the message names the bound",
      function* () {
        const made = yield* account
        yield* readyBuild(made, { files: [] })
        yield* reserve(made, { commitSha: commit(2) })
        const before = yield* latest(made)
        const body = reserveBody(made, { commitSha: commit(3), bundleSizeBytes: size + 1 })
        const detail = yield* exceeded(yield* post(made, body), "bytesStored", 2 * ofBuild, 3 * ofBuild)
        assert.strictEqual(
          detail,
          `This account stores ${bytesText(2 * ofBuild)} of the ${bytesText(3 * ofBuild)} that it may store, open reservations included, and this takes ${bytesText(ofBuild + 1)}; delete what is not needed any more.`
        )
        yield* exceeded(
          yield* postPreview(made, previewBody({ bundleSizeBytes: size + 1 })),
          "bytesStored",
          2 * ofBuild,
          3 * ofBuild
        )
        assert.strictEqual((yield* latest(made)).text, before.text)
        yield* reserve(made, { commitSha: commit(3) })
        yield* TestClock.adjust("1 hour")
        const { reserved, used } = (yield* standing(made)).bytesStored
        assert.deepStrictEqual({ reserved, used }, { reserved: 0, used: size + 3 * metadata })
      }
    )

    it.effect("previews of a month are bounded until the next begins", function* () {
      const { admin } = yield* TestHost
      const made = yield* account
      yield* admin.setQuotas({ account: made.name, quotas: { bytesStored: 2 ** 40, bytesPerMonth: 2 ** 40 } })
      yield* TestClock.setTime(Date.UTC(2026, 11, 31, 23, 59))
      const open = yield* Effect.replicateEffect(postPreview(made, previewBody()), 2)
      for (const { status } of open) assert.strictEqual(status, 201)
      const detail = yield* exceeded(yield* postPreview(made, previewBody()), "previewsPerMonth", 2, 2)
      assert.strictEqual(
        detail,
        "This account has made 2 of the 2 previews that it may make in a month, open reservations included; it begins again on 2027-01-01 (UTC)."
      )
      assert.strictEqual((yield* post(made, reserveBody(made))).status, 201)
      yield* TestClock.adjust("2 hours")
      assert.strictEqual((yield* postPreview(made, previewBody())).status, 201)
    })

    it.effect("runs of a month are bounded, and the same request again gets its answer", function* () {
      const { admin, call } = yield* TestHost
      const made = yield* account
      yield* admin.setQuotas({ account: made.name, quotas: { bytesStored: 2 ** 40, bytesPerMonth: 2 ** 40 } })
      const { shareId } = yield* readyPreview(made)
      const send = call("POST", "/api/v1/test-runs", {
        key: made.key,
        body: runBody(made, shareId),
        headers: { "idempotency-key": "the-run" }
      })
      const first = yield* send
      assert.strictEqual(first.status, 201)
      yield* exceeded(yield* register(made, runBody(made, shareId)), "runsPerMonth", 1, 1)
      assert.strictEqual((yield* send).text, first.text)
    })

    it.effect(
      "an account's own quotas come before those of the settings, for it alone, and may have no end",
      function* () {
        const { admin } = yield* TestHost
        const [made, other] = [yield* account, yield* account]
        const ofPreviews = (who: Account) => Effect.map(standing(who), ({ previewsPerMonth }) => previewsPerMonth.limit)
        yield* admin.setQuotas({ account: made.name, quotas: { previewsPerMonth: 0, bytesPerMonth: 5 } })
        yield* exceeded(yield* postPreview(made, previewBody({ bundleSizeBytes: 1 })), "previewsPerMonth", 0, 0)
        assert.deepStrictEqual([yield* ofPreviews(made), yield* ofPreviews(other)], [0, 2])
        yield* admin.setQuotas({ account: made.name, quotas: { previewsPerMonth: Number.MAX_SAFE_INTEGER } })
        assert.isUndefined(yield* ofPreviews(made))
        assert.strictEqual((yield* standing(made)).bytesPerMonth.limit, 5)
        yield* admin.setQuotas({ account: made.name, quotas: { previewsPerMonth: null, bytesPerMonth: null } })
        assert.strictEqual(yield* ofPreviews(made), 2)
      }
    )

    it.effect("many reserves at once stay within a quota", function* () {
      const made = yield* account
      const answers = yield* Effect.forEach(
        Array.from({ length: 40 }, (_, n) => n),
        (n) => post(made, reserveBody(made, { commitSha: commit(n) })),
        { concurrency: "unbounded" }
      )
      const reserved = answers.filter(({ status }) => status === 201).length
      for (const answer of answers) assert.include([201, 403], answer.status, answer.text)
      assert.isAtLeast(reserved, 3)
      // Statements that run at the same instant don't see each other, so each of the ten connections may exceed it by one.
      assert.isAtMost(reserved, engines.metadata === "PostgreSQL" ? 13 : 3)
    })

    it.effect("the page of usage shows where the account stands", function* () {
      const made = yield* account
      yield* TestClock.setTime(Date.UTC(2027, 4, 2))
      const { token, slots } = yield* reserve(made)
      yield* put(slots.bundle, bundle)
      assert.strictEqual((yield* post(made, { operation: "finalize", token })).status, 201)
      const { text } = yield* visit("GET", "/usage", { cookie: yield* signIn(made.key) })
      for (const line of [
        `${bytesText(ofBuild)} of ${bytesText(3 * ofBuild)} stored`,
        `${size} bytes of ${4 * size} bytes uploaded this month`,
        "0 of 2 previews this month",
        "0 of 1 test runs this month",
        "a new month begins on 2027-06-01 (UTC)"
      ]) {
        assert.include(text, line)
      }
    })
  })
}
