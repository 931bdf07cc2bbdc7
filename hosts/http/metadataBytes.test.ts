/** What an account keeps beside its objects is small, however much a request declares, and counts in its quota. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import type { Once } from "../../core/ports/IdempotencyStore.ts"
import { PreviewStore } from "../../core/ports/PreviewStore.ts"
import { TestRunStore } from "../../core/ports/TestRunStore.ts"
import { bytesPerRecord } from "../../core/rules/limits.ts"
import { inMemory } from "./testing/engines.ts"
import { builds, mebibyte, previews, runs } from "./testing/largeBodies.ts"
import { layer } from "../../core/testing/layer.ts"
import { postPreview, previewBody, readyPreview, register, runBody } from "./testing/previews.ts"
import { refusal } from "./testing/refusals.ts"
import { newAccount, TestHost } from "./testing/TestHost.ts"
import { bundle, commit, post, readyBuild, reserve, reserveBody, sha256, type Account } from "./testing/uploads.ts"

const uploader = newAccount(["builds", "preview_upload", "test_runs", "delete"])

/** How many bytes of an answer the last commit stored. */
let kept = 0
const weigh = <Change extends { readonly once?: Once | undefined }>(change: Change): Change => {
  kept = change.once?.answer.sealedAnswer.length ?? 0
  return change
}
const weighing = Layer.mergeAll(
  Layer.effect(
    BuildStore,
    Effect.map(BuildStore, (store) => ({ ...store, commitReserve: (change) => store.commitReserve(weigh(change)) }))
  ),
  Layer.effect(
    PreviewStore,
    Effect.map(PreviewStore, (store) => ({ ...store, commitReserve: (change) => store.commitReserve(weigh(change)) }))
  ),
  Layer.effect(
    TestRunStore,
    Effect.map(TestRunStore, (store) => ({ ...store, insert: (change) => store.insert(weigh(change)) }))
  )
)
const engines = { ...inMemory, ports: Layer.provideMerge(weighing, inMemory.ports) }

/** As many files as a reservation may have, with paths so long that the body is nearly a mebibyte, of bytes that are hosted. */
const files = Array.from({ length: 1000 }, (_, index) => ({
  path: `${index}/`.padEnd(800, "x"),
  sizeBytes: bundle.byteLength,
  contentType: "text/javascript",
  contentHash: sha256(bundle)
}))
const recordings = Array.from({ length: 100 }, (_, index) => ({
  name: `Recording ${index}`,
  kind: "log",
  sizeBytes: bundle.byteLength,
  contentType: "text/plain",
  contentHash: sha256(bundle)
}))

/** A text of three bytes a character, as long as a name may be. */
const longName = "\u{8349}".repeat(1024)

const asUsage = Schema.decodeUnknownEffect(
  Schema.Struct({ bytesStored: Schema.Struct({ used: Schema.Finite, reserved: Schema.Finite }) })
)
const bytesStored = ({ key }: Pick<Account, "key">) =>
  TestHost.use(({ call }) => call("GET", "/api/v1/usage", { key })).pipe(
    Effect.flatMap(({ json }) => asUsage(json)),
    Effect.map(({ bytesStored }) => bytesStored)
  )

layer(TestHost.layer(engines))("metadata", (it) => {
  it.effect(
    "of an answer to the largest request is kept in 2 KiB, or 6 KiB of a run, and gives the same answer",
    function* () {
      const { call } = yield* TestHost
      const account = yield* uploader
      const { shareId } = yield* readyPreview(account, { branch: longName, owner: account.owner, repo: account.repo })
      const attempts = Array.from({ length: 20 }, () => ({ status: "failed", failureMessage: "x".repeat(16 * 1024) }))
      const cases = [
        { path: builds, body: reserveBody(account, { files }), most: bytesPerRecord },
        { path: previews, body: previewBody({ files, recordings }), most: bytesPerRecord },
        { path: runs, body: runBody(account, shareId, { status: "failed", attempts }), most: 6 * 1024 }
      ]
      for (const { body, most, path } of cases) {
        const headers = { "idempotency-key": path }
        const first = yield* call("POST", path, { key: account.key, body, headers })
        assert.strictEqual(first.status, 201, first.text)
        assert.isAtLeast(kept, 100)
        assert.isAtMost(kept, most, path)
        const again = yield* call("POST", path, { key: account.key, body, headers })
        assert.strictEqual(again.text, first.text, path)
        assert.strictEqual(again.headers.get("location"), first.headers.get("location"))
      }
    }
  )

  it.effect("counts in what an account keeps, by the bytes that were declared, until it is deleted", function* () {
    const { call } = yield* TestHost
    const account = yield* uploader
    const { id } = yield* reserve(account, { files })
    const open = yield* bytesStored(account)
    assert.isAtLeast(open.used, 900 * 1000)
    assert.isAtMost(open.used, mebibyte + bytesPerRecord)
    assert.strictEqual((yield* post(account, reserveBody(account, { files, commitSha: commit(2) }))).status, 201)
    assert.strictEqual((yield* bytesStored(account)).used, 2 * open.used)
    assert.strictEqual((yield* call("DELETE", `${builds}/${id}`, { key: account.key })).status, 204)
    assert.strictEqual((yield* bytesStored(account)).used, open.used)
  })

  it.effect("that fills the quota ends what may be reserved and registered, until something is deleted", function* () {
    const { admin, call } = yield* TestHost
    const account = yield* uploader
    const { row } = yield* readyBuild(account)
    const { shareId } = yield* readyPreview(account)
    assert.strictEqual((yield* register(account, runBody(account, shareId))).status, 201)
    const registering = register(account, runBody(account, shareId, { prompt: "x".repeat(1024) }))
    // All of these bytes are hosted already, so each takes its metadata only.
    const reserving = [
      post(account, reserveBody(account, { commitSha: commit(2), files: files.slice(0, 6) })),
      postPreview(account, previewBody({ files: files.slice(0, 6) }))
    ]
    yield* admin.setQuotas({
      account: account.name,
      quotas: { bytesStored: (yield* bytesStored(account)).used + 3000 }
    })
    for (const send of [registering, ...reserving]) {
      const problem = yield* refusal(yield* send, 403, "quota_exceeded")
      assert.include(problem, { quota: "bytesStored", used: (yield* bytesStored(account)).used })
    }
    assert.strictEqual((yield* call("DELETE", `${builds}/${row.id}`, { key: account.key })).status, 204)
    assert.strictEqual((yield* registering).status, 201)
  })
})
