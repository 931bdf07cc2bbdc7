/** Uploads to a failing service: what is lost or had already is sent again or not, and what cannot be repeated is reported. */
import { layer } from "../../core/testing/layer.ts"
import { calls, content, declared, failure, tried } from "./testing/clients.ts"
import { assert } from "@effect/vitest"
import { inMemory } from "../http/testing/engines.ts"
import { TestHost } from "../http/testing/TestHost.ts"
import { bundle, bytes } from "../http/testing/uploads.ts"
import type { Progress } from "./index.ts"
import { lose, refuse } from "./testing/front.ts"

layer(TestHost.layer(inMemory))("a service that fails", (it) => {
  it.effect("ends a reservation while it is uploaded to: it is reserved again, once", () =>
    tried(async ({ client, front, pass }) => {
      let opened = 0
      const body = () => {
        opened += 1
        return (async function* () {
          if (opened === 2) await pass("2 hours")
          yield bundle
        })()
      }
      const preview = await client.previews.upload({ bundle: { body, contentType: "text/javascript" } })
      assert.strictEqual(preview.status, "ready")
      assert.strictEqual(opened, 3)
      const reserves = front.asked.filter(({ call }) => call === "POST /api/v1/previews")
      assert.strictEqual(new Set(reserves.map(({ key }) => key)).size, 2)
    })
  )

  it.effect("ends a reservation of what can't be read again, or ends each: that is reported", () =>
    tried(async ({ client, front, pass }) => {
      const late = async function* () {
        await pass("2 hours")
        yield bundle
      }
      const { bundleSizeBytes: sizeBytes, contentHash } = declared
      const upload = (body: AsyncIterable<Uint8Array> | (() => AsyncIterable<Uint8Array>)) =>
        failure(client.previews.upload({ bundle: { body, sizeBytes, contentHash, contentType: "text/javascript" } }))
      assert.strictEqual((await upload(late())).status, 403)
      assert.strictEqual((await upload(late)).status, 403)
      assert.strictEqual(calls(front).filter((call) => call === "POST /api/v1/previews").length, 3)
    })
  )

  it.effect("loses an object: it is sent again, alone, and finalized again", () =>
    tried(async ({ client, front }) => {
      front.next("PUT", lose)
      const preview = await client.previews.upload(
        { bundle: content, files: [{ path: "one", contentType: "text/plain", body: bytes("one") }] },
        { concurrency: 1 }
      )
      assert.strictEqual(preview.status, "ready")
      assert.deepStrictEqual(calls(front), [
        "POST /api/v1/previews",
        "PUT /objects/…",
        "PUT /objects/…",
        "POST /api/v1/previews/finalize",
        "PUT /objects/…",
        "POST /api/v1/previews/finalize"
      ])
    })
  )

  it.effect("has the bytes already: they aren't sent, not even of a body that can be read once", () =>
    tried(async ({ client, direct, front, owner, repo }) => {
      await direct.previews.upload({ bundle: content })
      const { bundleSizeBytes: sizeBytes, contentHash } = declared
      const body = new Blob([bundle]).stream()
      const reports: Array<Progress> = []
      const build = await client.builds.upload(
        {
          owner,
          repo,
          branch: "main",
          platform: "ios",
          commitSha: "a".repeat(40),
          bundle: { ...content, body, sizeBytes, contentHash }
        },
        { onProgress: (progress) => reports.push(progress) }
      )
      assert.strictEqual(build.status, "ready")
      assert.deepStrictEqual(calls(front), ["POST /api/v1/builds", "POST /api/v1/builds"])
      const whole = { totalBytes: sizeBytes, totalObjects: 1 }
      assert.deepStrictEqual(reports, [{ ...whole, sentBytes: sizeBytes, sentObjects: 1 }])
    })
  )

  it.effect("loses an object each time: upload_incomplete, with what is missing", () =>
    tried(async ({ client, front }) => {
      front.next("PUT", lose, lose)
      const error = await failure(client.previews.upload({ bundle: content }))
      const objects = error.problem?.code === "upload_incomplete" ? error.problem.objects : []
      assert.deepStrictEqual(
        objects.map(({ reason }) => reason),
        ["missing"]
      )
    })
  )

  it.effect("sends a body that can be read once no second time", () =>
    tried(async ({ client, front }) => {
      front.next("PUT", refuse(503))
      const { bundleSizeBytes: sizeBytes, contentHash } = declared
      const body = new Blob([bundle]).stream()
      const error = await failure(client.previews.upload({ bundle: { ...content, body, sizeBytes, contentHash } }))
      assert.strictEqual(error.status, 503)
      assert.strictEqual(calls(front).filter((call) => call.startsWith("PUT")).length, 1)
    })
  )

  it.effect("has an upload whose progress callback throws: that ends it", () =>
    tried(async ({ client, front }) => {
      const reason = new Error("no")
      const onProgress = () => {
        throw reason
      }
      const upload = client.previews.upload({ bundle: content }, { onProgress })
      assert.strictEqual(await upload.catch((error: unknown) => error), reason)
      assert.deepStrictEqual(calls(front), ["POST /api/v1/previews"])
    })
  )
})
