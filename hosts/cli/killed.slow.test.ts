/** Kills the host with SIGKILL between any two steps: every answer it gave is still valid, and the flow continues. */
import { assert, describe, it } from "vitest"
import { createHash } from "node:crypto"
import { serve, slipwayJson, temporaryFolder, type RunningHost } from "./testing/slipway.ts"

const content = "console.log('still here')"
const get = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce((at, name) => Reflect.get(Object(at), name), value)

describe("a host that is killed", () => {
  it("continues after a restart between any two steps, and loses nothing that was finalized", async () => {
    const data = temporaryFolder()
    let host: RunningHost | undefined
    // The port stays the same, so that the client can keep using the URLs it has.
    let port = "0"
    const restart = async () => {
      await host?.stop("SIGKILL")
      host = await serve(["--port", port, "--data", data])
      const url = host.line.split(" ").at(-1) ?? ""
      port = new URL(url).port
      return url
    }
    await slipwayJson(["account", "create", "acme", "--data", data])
    await slipwayJson(["repo", "link", "acme/app", "--account", "acme", "--data", data])
    const key = get(
      await slipwayJson(["key", "create", "--account", "acme", "--name", "ci", "--scope", "builds", "--data", data]),
      "key"
    )
    const request = async (path: string, body?: unknown) => {
      const response = await fetch(`${await restart()}/api/v1/builds${path}`, {
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
      })
      return { status: response.status, body: (await response.json()) as unknown }
    }

    const reserved = await request("", {
      owner: "acme",
      repo: "app",
      branch: "main",
      platform: "ios",
      commitSha: "a".repeat(40),
      contentHash: createHash("sha256").update(content).digest("hex"),
      bundleSizeBytes: content.length,
      bundleContentType: "text/javascript",
      files: [{ path: "a.txt", sizeBytes: 1, contentType: "text/plain" }]
    })
    assert.strictEqual(reserved.status, 201)
    const put = async (slot: unknown, text: string) => {
      await restart()
      const headers = { "content-type": String(get(slot, "contentType")) }
      assert.strictEqual((await fetch(String(get(slot, "putUrl")), { method: "PUT", body: text, headers })).status, 200)
    }
    const finalize = () => request("", { operation: "finalize", token: get(reserved.body, "token") })

    await put(get(reserved.body, "slots", "bundle"), content)
    assert.strictEqual((await finalize()).status, 409)
    await put(get(reserved.body, "slots", "files", "0"), "x")
    const finalized = await finalize()
    assert.strictEqual(finalized.status, 201)
    assert.strictEqual(get(finalized.body, "status"), "ready")
    assert.deepStrictEqual((await finalize()).body, finalized.body)
    assert.deepStrictEqual((await request(`/${get(finalized.body, "id")}`)).body, finalized.body)
    assert.deepStrictEqual((await request("?owner=acme&repo=app&branch=main")).body, finalized.body)
  })
})
