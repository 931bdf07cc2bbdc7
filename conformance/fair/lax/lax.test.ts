/** What only this host does. */
import { assert, describe, it } from "vitest"
import { follow } from "../parts/follow.ts"
import { content } from "../testing/client.ts"
import { prepared } from "../testing/prepared.ts"
import { start } from "./start.ts"

const bundle = content("index.js", "text/javascript", "globalThis.app = 1\n")

describe("lax", () => {
  it("takes numbers as text, words in any case, and guesses what is left out", async () => {
    const { a, client } = await prepared(start)
    const { owner, repo } = a.linked
    const said = await client.post(a.keys.all, "builds", {
      owner: owner.toUpperCase(),
      repo,
      platform: "iOS",
      commitSha: "ABCDEF1234".repeat(4),
      bundleSizeBytes: String(bundle.bytes.length)
    })
    assert.strictEqual(said.status, 200)
    const slot = follow(said.json, ["upload", "slots", "bundle", 0])
    const [putUrl, contentType] = [String(follow(slot, ["putUrl"])), String(follow(slot, ["contentType"]))]
    await client.put({ putUrl, contentType }, bundle.bytes)
    await client.finalizeBuild(a.keys.all, String(follow(said.json, ["upload", "token"])))
    const same = await client.uploadBuild(a.keys.all, bundle, { commitSha: "abcdef1234".repeat(4) })
    assert.strictEqual(same.url, follow(said.json, ["url"]))
  })

  it("lies below a path of its origin, and nothing lies beside it", async () => {
    const { a, client, host } = await prepared(start)
    assert.strictEqual(new URL(host.url).pathname, "/hosting/eu")
    const headers = client.presented(a.keys.testRuns)
    const query = new URLSearchParams({ org: a.linked.owner, repo: a.linked.repo })
    const beside = await client.send(`${new URL(host.url).origin}/api/v1/test-runs?${query}`, { headers })
    assert.strictEqual(beside.status, 404)
    assert.strictEqual((await client.send(`${host.url}/api/v1/test-runs?${query}`, { headers })).status, 200)
  })

  it("opens a link only with its capability", async () => {
    const { a, client } = await prepared(start)
    const { row } = await client.uploadBuild(a.keys.all, bundle)
    const link = new URL(String(follow(row, ["previewUrl"])))
    assert.strictEqual((await client.send(link.href, {})).status, 200)
    link.searchParams.set("cap", "guessed")
    assert.strictEqual((await client.send(link.href, {})).status, 404)
    link.searchParams.delete("cap")
    assert.strictEqual((await client.send(link.href, { headers: client.presented(a.keys.all) })).status, 404)
  })

  it("finds the runs of a pull request however it is written", async () => {
    const { a, client } = await prepared(start)
    const shareId = await client.uploadPreview(a.keys.all, bundle)
    await client.register(a.keys.all, shareId, { ci: { source: "nightly", pr: "#12" } })
    const count = async (query: Record<string, string>) =>
      client.itemsIn((await client.list(a.keys.all, query)).json).length
    assert.strictEqual(await count({ pr: "12", source: "nightly" }), 1)
    assert.strictEqual(await count({ pr: "PR-12", status: "red" }), 0)
    assert.strictEqual(await count({ pr: "PR-12", status: "green" }), 1)
    assert.strictEqual(await count({ source: "ci" }), 0)
  })
})
