/** Each target is broken in the way that its name says. */
import { connect } from "node:net"
import { assert, describe, it, onTestFinished } from "vitest"
import { brokenTargets, type Broken } from "./broken.ts"

const started = async (name: string): Promise<Broken> => {
  const start = brokenTargets[name]
  assert.isDefined(start)
  const target = await (start ?? assert.fail)()
  onTestFinished(() => target.stop())
  return target
}

/** The error with which a fetch of it fails. */
const failure = async ({ url }: Broken): Promise<Error> => {
  const failed: unknown = await fetch(`${url}/api/v1/builds`).then(
    () => assert.fail("it answered"),
    (error: unknown) => Object(error).cause
  )
  assert.instanceOf(failed, Error)
  return failed instanceof Error ? failed : assert.fail()
}

describe("a target that is no host", () => {
  for (const [name, status, body] of [
    ["emptyObjects", 200, "{}"],
    ["nothingThere", 404, '{"code":"not_found"}']
  ] as const) {
    it(`${name} answers ${status} to everything`, async () => {
      const { url } = await started(name)
      for (const path of ["/", "/api/v1/builds", "/anything"]) {
        const answered = await fetch(url + path, { method: "POST", body: "{}" })
        assert.strictEqual(answered.status, status)
        assert.strictEqual(await answered.text(), body)
      }
    })
  }

  it("hanging takes the request, says nothing, and lets go when it is stopped", async () => {
    const target = await started("hanging")
    const socket = connect(Number(new URL(target.url).port), "127.0.0.1")
    let said = 0
    socket.on("data", (bytes) => {
      said += bytes.length
    })
    const ended = new Promise((resolve) => socket.on("error", resolve).on("close", resolve))
    await new Promise((resolve) => socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n", resolve))
    await target.stop()
    await ended
    assert.strictEqual(said, 0)
  })

  it("closing ends the connection", async () => {
    assert.match((await failure(await started("closing"))).message, /closed|ECONNRESET|hang up/)
  })

  it("garbage isn't HTTP", async () => {
    assert.match((await failure(await started("garbage"))).message, /HTTP/)
  })

  it("untrusted has a certificate that signs itself", async () => {
    const target = await started("untrusted")
    assert.match(target.url, /^https:/)
    assert.strictEqual(Object(await failure(target)).code, "DEPTH_ZERO_SELF_SIGNED_CERT")
  })
})
