/** Whole uploads by the client without Effect, through a real host. */
import { assert } from "@effect/vitest"
import { account, clients } from "./testing/clients.ts"
import { Effect } from "effect"
import { inMemory } from "../http/testing/engines.ts"
import { TestHost } from "../http/testing/TestHost.ts"
import { layer } from "../../core/testing/layer.ts"
import { bundle, bytes, commit, data, sha256, style } from "../http/testing/uploads.ts"
import { type Client, createClient, type Progress } from "./index.ts"

const text = "text/javascript"

layer(TestHost.layer(inMemory))("uploads", (it) => {
  for (const { create, name } of clients) {
    it.effect(`${name}: a build with files, and its progress`, function* () {
      const { hostedBundle, key, repository, url } = yield* account
      yield* Effect.promise(async () => {
        const client = create({ url, key })
        const identity = { ...repository, branch: "main", platform: "ios", commitSha: commit(1) } as const
        const uploadError: Array<Progress> = []
        const build = await client.builds.upload(
          {
            ...identity,
            entry: "index",
            bundle: { body: bundle, contentType: text },
            files: [
              { path: "assets/style.css", contentType: "text/css", body: new Blob([style]) },
              { path: "data.json", contentType: "application/json", body: data }
            ]
          },
          { onProgress: (progress) => uploadError.push(progress), concurrency: 2 }
        )
        assert.strictEqual(build.status, "ready")
        assert.strictEqual(build.entry, "index")
        assert.deepStrictEqual(await client.builds.read(build.id), build)
        assert.deepStrictEqual(await client.builds.latest({ ...repository, branch: "main" }), build)
        assert.strictEqual(await hostedBundle(build.id), new TextDecoder().decode(bundle))
        const totalBytes = bundle.byteLength + style.byteLength + data.byteLength
        const whole = { totalBytes, totalObjects: 3 }
        assert.deepStrictEqual(uploadError[0], { ...whole, sentBytes: 0, sentObjects: 0 })
        assert.deepStrictEqual(uploadError.at(-1), { ...whole, sentBytes: totalBytes, sentObjects: 3 })
        const sent = uploadError.map(({ sentBytes }) => sentBytes)
        assert.deepStrictEqual(
          sent,
          sent.toSorted((a, b) => a - b)
        )
      })
    })

    it.effect(`${name}: a preview with recordings, its run, and links to both`, function* () {
      const { hosted, key, repository, url } = yield* account
      yield* Effect.promise(async () => {
        const client: Client = create({ url, key })
        const preview = await client.previews.upload({
          ...repository,
          branch: "main",
          billingKind: "test_run",
          bundle: { body: bundle, contentType: text },
          files: [{ path: "data.json", contentType: "application/json", body: data }],
          recordings: [
            { name: "log", kind: "log", contentType: "text/plain", body: bytes("one\n"), startedAtMs: 3 },
            { name: "log", kind: "log", contentType: "text/plain", body: bytes("two\n") }
          ]
        })
        assert.strictEqual(preview.status, "ready")
        assert.deepStrictEqual(
          preview.recordings.map(({ startedAtMs }) => startedAtMs),
          [3, undefined]
        )
        assert.strictEqual(await hosted(preview.shareId, "recordings/1"), "two\n")
        assert.deepStrictEqual(await client.previews.read(preview.shareId), preview)

        const run = await client.testRuns.register({
          ...repository,
          kind: "detox",
          name: "Pay",
          previewShareId: preview.shareId,
          status: "passed"
        })
        const { testRuns } = await client.testRuns.list({ org: repository.owner, repo: repository.repo, limit: 5 })
        assert.deepStrictEqual(testRuns, [run])
        for (const [shared, id] of [
          [client.previews, preview.shareId],
          [client.testRuns, run.id]
        ] as const) {
          const [first, second] = [await shared.share(id), await shared.share(id, { expiresInSeconds: 60 })]
          assert.strictEqual(Date.parse(second.expiresAt) - Date.parse(second.createdAt), 60_000)
          await shared.revokeShare(id, second.id)
          const { shares } = await shared.listShares(id)
          assert.deepStrictEqual(
            shares.map(({ id, revokedAt }) => [id, revokedAt !== undefined]),
            [
              [second.id, true],
              [first.id, false]
            ]
          )
          assert.deepStrictEqual(await shared.listShares(id, { cursor: second.id }), { shares: shares.slice(1) })
        }
      })
    })
  }

  it.effect("in three steps, and a reservation is answered again for the same key", function* () {
    const { key, url } = yield* account
    yield* Effect.promise(async () => {
      const client = createClient({ url, key })
      const declared = {
        contentHash: sha256(bundle),
        bundleSizeBytes: bundle.byteLength,
        bundleContentType: text
      }
      const twice = { idempotencyKey: "preview-1" }
      const reserved = await client.previews.reserve(declared, twice)
      assert.deepStrictEqual(await client.previews.reserve(declared, twice), reserved)
      assert.notStrictEqual((await client.previews.reserve(declared)).shareId, reserved.shareId)
      await client.put(reserved.slots.bundle, new Blob([bundle]))
      const preview = await client.previews.finalize(reserved.token)
      assert.deepStrictEqual(await client.previews.finalize(reserved.token), preview)
    })
  })
})
