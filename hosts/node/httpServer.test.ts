import { assert, it, onTestFinished } from "vitest"
import { once } from "node:events"
import { request, type IncomingMessage } from "node:http"
import { json } from "node:stream/consumers"
import { makeServer } from "./httpServer.ts"

it("answers that it is starting until a request handler is set", async () => {
  const server = makeServer()
  server.listen(0, "127.0.0.1")
  onTestFinished(() => void server.close())
  await once(server, "listening")
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : ""}/readyz`

  for (const headers of [{}, { expect: "100-continue" }]) {
    const asked = request(url, { method: "POST", headers: { "x-request-id": "mine", ...headers } })
    asked.end()
    const starting = await new Promise<IncomingMessage>((resolve) => asked.once("response", resolve))
    assert.strictEqual(starting.statusCode, 503)
    assert.strictEqual(starting.headers["retry-after"], "1")
    assert.strictEqual(starting.headers["content-type"], "application/problem+json")
    const { code, requestId } = Object(await json(starting))
    assert.deepStrictEqual({ code, requestId }, { code: "unavailable", requestId: "mine" })
  }

  server.on("request", (_, response) => response.end("taken"))
  assert.strictEqual(await (await fetch(url)).text(), "taken")
})
