/** What only this host does. */
import { assert, describe, it } from "vitest"
import { commit, content } from "../testing/client.ts"
import { prepared } from "../testing/prepared.ts"
import { start } from "./start.ts"

const bundle = content("index.js", "text/javascript", "globalThis.app = 1\n")
const logo = content("assets/logo.png", "image/png", "not really a picture")

describe("terse", () => {
  it("maps slots by path and answers nothing else", async () => {
    const { a, client } = await prepared(start)
    const { said } = await client.reserveBuild(a.keys.all, bundle, {}, [logo])
    assert.deepStrictEqual(Object.keys(Object(said.json)), ["token", "url", "slots"])
    assert.deepStrictEqual(Object.keys(Object(Object(said.json).slots)), ["/", "assets/logo.png"])
    assert.strictEqual(said.headers.get("connection"), "close")
  })

  it("holds signature and claims in the path of a PUT URL, without a query", async () => {
    const { a, client } = await prepared(start)
    const { putUrl } = (await client.reserveBuild(a.keys.all, bundle)).slot()
    assert.strictEqual(new URL(putUrl).search, "")
  })

  it("brings an older commit to the front of its branch when it is uploaded again", async () => {
    const { a, client } = await prepared(start)
    const first = await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(1) })
    await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(2) })
    await client.uploadBuild(a.keys.all, bundle, { commitSha: commit(1) })
    const latest = await client.get(a.keys.all, "builds", { ...a.linked, branch: "main" })
    assert.strictEqual(client.idIn(latest.json), first.id)
  })
})
