import { assert, it, onTestFinished } from "vitest"
import { once } from "node:events"
import { request, type IncomingMessage } from "node:http"
import { connect } from "node:net"
import { json, text } from "node:stream/consumers"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { makeServer } from "./httpServer.ts"

it("answers that it is starting until a request handler is set", async () => {
  const server = makeServer()
  onTestFinished(() => void server.close())
  const port = await listen(server)
  const url = `http://127.0.0.1:${port}/readyz`

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

it("refuses a request with two Host headers before anything answers it", async () => {
  const server = makeServer()
  server.on("request", (_, response) => response.end("answered"))
  onTestFinished(() => void server.close())
  const port = await listen(server)
  const socket = connect(port, "127.0.0.1")
  socket.write("GET /readyz HTTP/1.1\r\nHost: one.example\r\nhOST: two.example\r\nConnection: close\r\n\r\n")
  const answer = await text(socket)
  assert.match(answer, /^HTTP\/1\.1 400 /)
  assert.include(answer, '{"path":"host","message":"must be sent once"}')
})

it("ends streams of events when it closes, which would last until their readers leave", async () => {
  const server = makeServer()
  server.on("request", (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" })
    response.write(":\n\n")
  })
  const port = await listen(server)
  const asked = request({ host: "127.0.0.1", port, headers: { accept: "text/event-stream" } })
  asked.end()
  const stream = await new Promise<IncomingMessage>((resolve) => asked.once("response", resolve))
  await once(stream, "data")
  const cut = new Promise((resolve) => stream.once("error", resolve))
  await new Promise((closed) => server.close(closed))
  assert.include(String(await cut), "aborted")
})

it("outlives a client that closes the connection when the reader of the body has just stopped", async () => {
  const server = makeServer()
  const closed = new Promise<void>((resolve) => {
    server.on("request", (incoming) => {
      const stop = () => undefined
      incoming.on("error", stop).resume()
      // Node has decided by then that somebody handles the error, and hasn't emitted it.
      const leave = () => incoming.removeListener("error", stop)
      incoming.once("aborted", () => process.nextTick(() => process.nextTick(leave)))
      incoming.once("close", () => setImmediate(resolve))
    })
  })
  onTestFinished(() => void server.close())
  const port = await listen(server)
  const socket = connect(port, "127.0.0.1")
  socket.write("PUT /objects/1 HTTP/1.1\r\nHost: one.example\r\nContent-Length: 10\r\n\r\n12345", () =>
    socket.destroy()
  )
  await closed
})
