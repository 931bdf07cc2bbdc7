import { createServer } from "node:http"
import { once } from "node:events"
import { assert, describe, it, onTestFinished } from "vitest"
import { serveHere, slipway, temporaryFolder } from "./testing/slipway.ts"

describe("slipway health", () => {
  it("exits with 0 if the host is ready, also where it listens on every address", async () => {
    const { line, stop } = await serveHere(["--host", "0.0.0.0", "--port", "0", "--data", temporaryFolder()])
    const port = new URL(line.split(" ").at(-1) ?? "").port
    const url = `http://127.0.0.1:${port}`
    assert.deepStrictEqual(await slipway(["health"], { env: { SLIPWAY_HOST: "0.0.0.0", SLIPWAY_PORT: port } }), {
      code: 0,
      stdout: `The host at ${url} is ready.\n`,
      stderr: ""
    })
    await stop()
    assert.deepStrictEqual(await slipway(["health", "--port", port]), {
      code: 1,
      stdout: "",
      stderr: `slipway: No host answers at ${url}.\n`
    })
  })

  it("exits with 1 if an engine of the host can't be reached", async () => {
    const unavailable = createServer((_, response) => response.writeHead(503).end())
    onTestFinished(() => void unavailable.close())
    await once(unavailable.listen(0, "127.0.0.1"), "listening")
    const address = unavailable.address()
    const port = String(typeof address === "object" ? address?.port : "")
    const { code, stderr } = await slipway(["health", "--port", port])
    assert.strictEqual(code, 1)
    assert.include(stderr, "is not ready (503)")
  })
})
