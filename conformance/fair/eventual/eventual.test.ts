/** What only this host does. */
import { request } from "node:http"
import { assert, describe, it } from "vitest"
import { follow } from "../parts/follow.ts"
import { commit, content } from "../testing/client.ts"
import { prepared } from "../testing/prepared.ts"
import { start } from "./start.ts"

const bundle = content("index.js", "text/javascript", "globalThis.app = 1\n")
const other = content("index.js", "text/javascript", "globalThis.app = 2\n")

describe("eventual", () => {
  it("reads from two replicas in turn, one of which lags 300 ms behind", async () => {
    const { a, client, clock, host } = await prepared(start)
    const shareId = await client.uploadPreview(a.keys.all, bundle)
    const { id } = await client.uploadBuild(a.keys.all, bundle)
    const fields = { kind: "detox", name: "Checkout", ...a.linked, previewShareId: shareId }
    const headers = { ...client.presented(a.keys.all), "content-type": "application/json" }
    // Without the client, because that waits until the window has passed.
    await client.send(`${host.url}/api/v1/test-runs`, { method: "POST", headers, body: JSON.stringify(fields) })
    const seen = async () => client.itemsIn((await client.list(a.keys.all)).json).length
    assert.sameMembers([await seen(), await seen()], [0, 1])
    clock.advance(299)
    assert.sameMembers([await seen(), await seen()], [0, 1])
    clock.advance(1)
    assert.deepStrictEqual([await seen(), await seen()], [1, 1])
    assert.strictEqual((await client.get(a.keys.all, `builds/${id}`)).status, 200)
  })

  it("has an origin each for API, storage and viewer", async () => {
    const { a, client, host } = await prepared(start)
    const { row } = await client.uploadBuild(a.keys.all, bundle)
    const { putUrl } = (await client.reserveBuild(a.keys.all, bundle)).slot()
    const origins = [host.url, putUrl, String(follow(row, ["previewUrl"]))].map((url) => new URL(url).origin)
    assert.strictEqual(new Set(origins).size, 3)
    assert.strictEqual(origins[2], host.viewerUrl)
  })

  it("compresses only for clients that accept gzip", async () => {
    const { a, client, host } = await prepared(start)
    const encoding = (accepted: Record<string, string>) =>
      new Promise((resolve, reject) => {
        const headers = { ...client.presented(a.keys.all), ...accepted }
        const asked = request(`${host.url}/api/v1/builds/none`, { headers }, (response) => {
          response.resume()
          resolve(response.headers["content-encoding"])
        })
        asked.on("error", reject).end()
      })
    assert.strictEqual(await encoding({ "accept-encoding": "gzip, br" }), "gzip")
    assert.isUndefined(await encoding({}))
  })

  it("wants the same content type with every PUT, and hosts what was declared", async () => {
    const { a, client } = await prepared(start)
    const reserved = await client.reserveBuild(a.keys.all, bundle)
    assert.strictEqual(reserved.slot().contentType, "application/octet-stream")
    assert.strictEqual((await client.put(reserved.slot(), bundle.bytes, { type: bundle.type })).status, 400)
    const { row } = await client.uploadBuild(a.keys.all, bundle)
    const opened = await client.send(String(follow(row, ["previewUrl"])), { headers: client.presented(a.keys.all) })
    assert.strictEqual(opened.headers.get("content-type"), bundle.type)
  })

  it("gives the same answer to the same token, however often", async () => {
    const { a, client, clock } = await prepared(start)
    const reserved = await client.reserveBuild(a.keys.all, bundle)
    await client.put(reserved.slot(), bundle.bytes)
    const first = await client.finalizeBuild(a.keys.all, reserved.token())
    clock.advance(3_600_000)
    assert.deepStrictEqual((await client.finalizeBuild(a.keys.all, reserved.token())).json, first.json)
  })

  it("shows the upload that is under way as the latest of its branch, and null where there is none", async () => {
    const { a, client } = await prepared(start)
    const latest = async (branch: string) => (await client.get(a.keys.all, "builds", { ...a.linked, branch })).json
    assert.isNull(follow(await latest("main"), ["data"]))
    await client.uploadBuild(a.keys.all, bundle)
    await client.reserveBuild(a.keys.all, other, { commitSha: commit(2) })
    const row = follow(await latest("main"), ["data", "attributes"])
    assert.strictEqual(follow(row, ["commitSha"]), commit(2))
    assert.isUndefined(follow(row, ["previewUrl"]))
  })

  it("filters runs by what was sent of source, pull request and status", async () => {
    const { a, client } = await prepared(start)
    const shareId = await client.uploadPreview(a.keys.all, bundle)
    await client.register(a.keys.all, shareId, { status: "Flaky", source: "ci", pr: 7 })
    const count = async (query: Record<string, string>) =>
      client.itemsIn((await client.list(a.keys.all, query)).json).length
    assert.strictEqual(await count({ status: "Flaky", source: "ci", pr: "7" }), 1)
    for (const query of [{ status: "failed" }, { source: "local" }, { pr: "8" }]) {
      assert.strictEqual(await count(query), 0, JSON.stringify(query))
    }
  })

  it("opens pages for the account's key alone, presented as a browser would", async () => {
    const { a, b, client } = await prepared(start)
    const { url } = await client.uploadBuild(a.keys.all, bundle)
    const asked = await client.send(url, {})
    assert.strictEqual(asked.status, 401)
    assert.include(asked.headers.get("www-authenticate"), "Basic")
    assert.strictEqual((await client.send(url, { headers: client.presented(b.keys.all) })).status, 404)
    assert.strictEqual((await client.send(url, { headers: client.presented(a.keys.all) })).status, 200)
  })
})
