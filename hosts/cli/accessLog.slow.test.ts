import { assert, describe, it } from "vitest"
import { once } from "node:events"
import { join } from "node:path"
import { serve, slipwayProcess } from "./testing/slipway.ts"

const crash = { NODE_OPTIONS: `--import ${join(import.meta.dirname, "testing", "throwOnSignal.ts")}` }

const requests = 50

/** A host that has answered requests: how it ended, and how many of them its log lists. */
const servedUntil = async (signal: NodeJS.Signals, env: Record<string, string>) => {
  const host = await serve(["--port", "0"], { env })
  const url = host.line.replace("Slipway listening on ", "")
  const asked = Array.from({ length: requests }, async (_, index) => {
    const { status } = await fetch(`${url}/healthz`, {
      headers: { "x-request-id": `asked-${index}`, connection: "close" }
    })
    assert.strictEqual(status, 200)
  })
  await Promise.all(asked)
  const closed = once(host.child, "close")
  host.child.kill(signal)
  await closed
  const stderr = await host.stderr
  const logged = new Set(stderr.match(/requestId=asked-\d+ method=GET path=\/healthz status=200/g))
  return { code: host.child.exitCode, stderr, logged: logged.size }
}

describe("the access log of slipway serve", () => {
  it("is on stderr as a whole when the host is stopped", async () => {
    const { code, logged } = await servedUntil("SIGTERM", { SLIPWAY_ACCESS_LOG: "all" })
    assert.deepStrictEqual({ code, logged }, { code: 0, logged: requests })
  })

  it("is on stderr as a whole when an error that nobody catches ends the process", async () => {
    const { code, stderr, logged } = await servedUntil("SIGUSR2", { SLIPWAY_ACCESS_LOG: "all", ...crash })
    assert.deepStrictEqual({ code, logged }, { code: 1, logged: requests })
    assert.include(stderr, "Error: planted")
  })

  it("is off unless it is set", async () => {
    assert.strictEqual((await servedUntil("SIGTERM", {})).logged, 0)
  })

  it.each(["some", "0", "1.1", "-1"])("can't be set to %s", async (value) => {
    const { code, stderr } = await slipwayProcess(["serve", "--port", "0", "--access-log", value])
    assert.strictEqual(code, 2)
    assert.include(stderr, "SLIPWAY_ACCESS_LOG (--access-log) must be off, all, or a share of requests")
  })
})
