import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted, Stream } from "effect"
import { FetchHttpClient } from "effect/http"
import { execFile } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"
import { programOf } from "../../../.config/testing/snippets.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { layer } from "../../../core/testing/layer.ts"
import { bundle, commit, data, sha256 } from "../../http/testing/uploads.ts"
import { SlipwayClient } from "./index.ts"

const file = { path: "data.json", sizeBytes: data.byteLength, contentType: "application/json" }
const declared = {
  contentHash: sha256(bundle),
  bundleSizeBytes: bundle.byteLength,
  bundleContentType: "text/javascript",
  files: [file]
}

const account = Effect.gen(function* () {
  const { url } = yield* TestHost
  return { url, ...(yield* newAccount(["builds", "preview_upload", "test_runs"])) }
})

layer(TestHost.layer(inMemory))("the client for Effect", (it) => {
  it.effect("a build, a preview and a run, and a Problem for what is refused", function* () {
    const { key, owner, repo, url } = yield* account
    const flow = Effect.gen(function* () {
      const client = yield* SlipwayClient
      const identity = {
        owner,
        repo,
        branch: "main",
        platform: "ios",
        commitSha: commit(1)
      } as const
      const build = yield* client.builds.reserve({ ...identity, ...declared })
      const early = yield* Effect.flip(client.builds.finalize(build.token))
      assert.strictEqual(early._tag, "UploadIncomplete")
      yield* client.put(build.slots.bundle, bundle)
      yield* Effect.forEach(build.slots.files, (slot) => client.put(slot, Stream.make(data)))
      const ready = yield* client.builds.finalize(build.token)
      assert.strictEqual(ready.status, "ready")
      assert.deepStrictEqual(yield* client.builds.latest({ owner, repo, branch: "main" }), ready)
      assert.deepStrictEqual(yield* client.builds.read(ready.id), ready)

      const once = { idempotencyKey: "preview-1" }
      const preview = yield* client.previews.reserve(declared, once)
      assert.deepStrictEqual(yield* client.previews.reserve(declared, once), preview)
      yield* client.put(preview.slots.bundle, bundle)
      yield* Effect.forEach(preview.slots.files, (slot) => client.put(slot, data))
      const hosted = yield* client.previews.finalize(preview.token)
      assert.deepStrictEqual(yield* client.previews.read(preview.shareId), hosted)

      const run = yield* client.testRuns.register({
        kind: "detox",
        owner,
        repo,
        previewShareId: preview.shareId,
        name: "flow"
      })
      const { nextCursor, testRuns } = yield* client.testRuns.list({ org: owner, repo, limit: 10 })
      assert.deepStrictEqual(testRuns, [run])
      assert.isUndefined(nextCursor)
      assert.strictEqual((yield* Effect.flip(client.builds.read("nobody")))._tag, "NotFound")

      for (const [shared, id] of [
        [client.previews, preview.shareId],
        [client.testRuns, run.id]
      ] as const) {
        const first = yield* shared.share(id)
        const second = yield* shared.share(id, { expiresInSeconds: 60 })
        assert.strictEqual(second.expiresAt.epochMilliseconds - second.createdAt.epochMilliseconds, 60_000)
        yield* shared.revokeShare(id, second.id)
        const { shares } = yield* shared.listShares(id)
        assert.deepStrictEqual(
          shares.map(({ id, revokedAt }) => [id, revokedAt !== undefined]),
          [
            [second.id, true],
            [first.id, false]
          ]
        )
        assert.deepStrictEqual(yield* shared.listShares(id, { cursor: second.id }), {
          shares: shares.slice(1)
        })
        assert.strictEqual((yield* Effect.flip(shared.share("nobody")))._tag, "NotFound")
      }
    })
    yield* Effect.provide(
      flow,
      SlipwayClient.layer({ url, key: Redacted.make(key) }).pipe(Layer.provide(FetchHttpClient.layer))
    )
  })

  it.effect("uploads whole, with digests and progress, and fails with a Problem or UploadFailed", function* () {
    const { key, owner, repo, url } = yield* account
    const identity = {
      owner,
      repo,
      branch: "main",
      platform: "ios",
      commitSha: commit(2)
    } as const
    const contents = {
      bundle: { body: bundle, contentType: "text/javascript" },
      files: [{ path: "data.json", body: data, contentType: "application/json" }]
    }
    yield* Effect.gen(function* () {
      const client = yield* SlipwayClient
      const build = yield* client.builds.upload({ ...identity, ...contents })
      assert.strictEqual(build.contentHash, sha256(bundle))
      assert.deepStrictEqual(yield* client.builds.read(build.id), build)

      const events = yield* Stream.runCollect(client.previews.uploading({ ...contents, owner, repo }))
      const last = events.at(-1)
      assert.strictEqual(last?._tag === "Uploaded" && last.uploaded.status, "ready")
      const progress = events.filter((event) => event._tag === "Progress")
      assert.deepInclude(progress.at(-1), {
        sentBytes: bundle.byteLength + data.byteLength,
        totalBytes: bundle.byteLength + data.byteLength,
        sentObjects: 2
      })

      const refused = yield* Effect.flip(client.builds.upload({ ...identity, ...contents, repo: "unlinked" }))
      assert.strictEqual(refused._tag, "NotFound")
      const unfit = { ...contents, bundle: { ...contents.bundle, sizeBytes: 1 } }
      const failed = yield* Effect.flip(client.builds.upload({ ...identity, ...unfit }))
      assert.deepInclude(failed, { _tag: "UploadFailed", code: "body_unfit" })
    }).pipe(
      Effect.provide(SlipwayClient.layer({ url, key: Redacted.make(key) }).pipe(Layer.provide(FetchHttpClient.layer)))
    )
  })
})

layer(TestHost.layer(inMemory))("the program of examples/client/effect.ts", (it) => {
  it.effect("uploads a build", function* () {
    const { admin, url } = yield* TestHost
    yield* admin.createAccount({ name: "acme" })
    yield* admin.linkRepository({ account: "acme", owner: "acme", repo: "app" })
    const { key } = yield* admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] })
    const program = programOf(readFileSync(join(import.meta.dirname, "../../../examples/client/effect.ts"), "utf8"))
    yield* Effect.addFinalizer(() => Effect.sync(program.remove))
    writeFileSync(join(program.folder, "index.js"), bundle)
    const env = { ...process.env, SLIPWAY_URL: url, SLIPWAY_KEY: key }
    const { stderr, stdout } = yield* Effect.promise(() =>
      promisify(execFile)(process.execPath, [program.file], { cwd: program.folder, env })
    )
    assert.match(stdout, /\/builds\/[\w-]+\n$/)
    assert.include(stderr, `${bundle.byteLength} of ${bundle.byteLength} bytes`)
  })
})
