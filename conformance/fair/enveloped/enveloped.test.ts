/** What only this host does. */
import { assert, describe, it } from "vitest"
import { commit, content } from "../testing/client.ts"
import { prepared } from "../testing/prepared.ts"
import { start } from "./start.ts"

const bundle = content("index.js", "text/javascript", "globalThis.app = 1\n")

describe("enveloped", () => {
  it("refuses one request too many, and says when to retry", async () => {
    const { a, client, clock, host } = await prepared(start)
    const url = `${host.url}/api/v1/builds/bld_none`
    const ask = async () => fetch(url, { headers: client.presented(a.keys.all) })
    const answers = await Promise.all(Array.from({ length: 101 }, ask))
    assert.lengthOf(
      answers.filter(({ status }) => status === 404),
      100
    )
    const [late] = answers.filter(({ status }) => status === 429)
    assert.strictEqual(late?.headers.get("retry-after"), "1")
    clock.advance(1000)
    assert.strictEqual((await ask()).status, 404)
  })

  it("has storage on another origin that refuses a key and an unknown length", async () => {
    const { a, client, host } = await prepared(start)
    const slot = (await client.reserveBuild(a.keys.all, bundle)).slot()
    assert.notStrictEqual(new URL(slot.putUrl).origin, host.url)
    const put = (headers: Record<string, string>, body: BodyInit) => {
      const init = { method: "PUT", headers, body, duplex: "half" }
      return client.send(slot.putUrl, init)
    }
    const type = { "content-type": slot.contentType }
    const bytes = new Uint8Array(bundle.bytes)
    assert.strictEqual((await put({ ...type, ...client.presented(a.keys.all) }, bytes)).status, 400)
    assert.strictEqual((await put(type, new Blob([bytes]).stream())).status, 411)
    assert.strictEqual((await put(type, bytes)).status, 200)
  })

  it("refuses what is wrong, missing or unknown in a reservation", async () => {
    const { a, client } = await prepared(start)
    for (const fields of [
      { commitSha: "C".repeat(40) },
      { branch: "b".repeat(101) },
      { bundleOrigin: undefined },
      { bundleSizeBytes: "19" },
      { deviceSpec: { width: 390 } },
      { deviceSpec: { width: 390, height: 844, scale: 3 } },
      { files: {} },
      { files: [{ path: "a.png" }] },
      { colour: "red" }
    ]) {
      const { said } = await client.reserveBuild(a.keys.all, bundle, fields)
      assert.strictEqual(said.status, 422, JSON.stringify(fields))
    }
    assert.strictEqual((await client.reserveBuild(a.keys.all, bundle, { branch: "b".repeat(100) })).said.status, 202)
  })

  it("leaves an older commit where it was when it is uploaded again", async () => {
    const { a, client } = await prepared(start)
    await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(1) })
    const second = await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(2) })
    await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(1) })
    const latest = await client.get(a.keys.all, "builds", { ...a.linked, branch: "main" })
    assert.strictEqual(client.idIn(latest.json), second.id)
  })

  it("takes the pull request of a run from its preview, and refuses a status that is no text", async () => {
    const { a, client } = await prepared(start)
    const shareId = await client.uploadPreview(a.keys.all, bundle)
    assert.strictEqual((await client.register(a.keys.all, shareId, { status: 1 })).status, 422)
    await client.register(a.keys.all, shareId)
    assert.lengthOf(client.itemsIn((await client.list(a.keys.all, { pr: "12", source: "api" })).json), 1)
    assert.lengthOf(client.itemsIn((await client.list(a.keys.all, { pr: "13" })).json), 0)
  })

  it("shows a sign-in page to a visitor without a key", async () => {
    const { a, b, client } = await prepared(start)
    const { url } = await client.uploadBuild(a.keys.all, bundle)
    assert.include((await client.send(url, {})).bytes.toString(), "Sign in")
    assert.strictEqual((await client.send(url, { headers: client.presented(b.keys.all) })).status, 404)
    assert.include((await client.send(url, { headers: client.presented(a.keys.all) })).bytes.toString(), "builds bld_")
  })

  it("refuses to finalize what isn't what its type says", async () => {
    const { a, client } = await prepared(start)
    const noise = content("index.js", "text/javascript", "0123abcd 0123abcd")
    const reserved = await client.reserveBuild(a.keys.all, noise)
    await client.put(reserved.slot(), noise.bytes)
    assert.strictEqual((await client.finalizeBuild(a.keys.all, reserved.token())).status, 422)
  })
})
