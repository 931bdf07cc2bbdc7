/**
 * Clients that send or read slowly, or not at all, on real sockets: the server closes exactly these connections in
 * time.
 */
import { assert, describe, it, onTestFinished, vi } from "vitest"
import { Duration, Effect, Exit, Layer, Redacted, Scope } from "effect"
import { once } from "node:events"
import type { RequestListener } from "node:http"
import { connect, type Socket } from "node:net"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import * as memory from "../../adapters/memory/index.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Previews } from "../../core/service/Previews.ts"
import { type ClientTimeouts, makeServer, minUploadBytes } from "./httpServer.ts"
import { layerServer } from "./server.ts"

/** A timeout longer than any test takes. */
const never = 3_600_000
const noTimeouts: ClientTimeouts = { headers: never, body: never, upload: never, reading: never, keepAlive: never }

/** The port of a server with these timeouts and this handler. */
const start = async (
  times: Partial<ClientTimeouts>,
  answer: RequestListener,
  maxClientConnections?: number
): Promise<number> => {
  const server = makeServer({ ...noTimeouts, ...times }, maxClientConnections)
  server.on("request", answer)
  server.on("checkContinue", (request, response) => {
    response.writeContinue()
    answer(request, response)
  })
  onTestFinished(() => server.closeAllConnections())
  onTestFinished(() => void server.close())
  return listen(server)
}

/**
 * A whole host with these timeouts: its port, and the path and query of a URL that accepts a PUT of 5 bytes of text.
 */
const startHost = async (times: Partial<ClientTimeouts>) => {
  const scope = Scope.makeUnsafe()
  onTestFinished(() => Effect.runPromise(Scope.close(scope, Exit.void)))
  const host = layerServer({
    engines: { metadata: "memory", objects: "memory", ports: memory.layer, routes: memory.routes },
    secret: Redacted.make("test secret"),
    host: "127.0.0.1",
    port: 0,
    settings: {},
    shutdownTimeout: Duration.seconds(1),
    clientTimeouts: { ...noTimeouts, ...times }
  })
  const putUrl = Effect.gen(function* () {
    const [admin, authorization, previews] = [yield* Administration, yield* Authorization, yield* Previews]
    yield* admin.createAccount({ name: "acme" })
    const { key } = yield* admin.createKey({ account: "acme", name: "ci", scopes: ["preview_upload"] })
    const { slots } = yield* previews.reserve(yield* authorization.authenticate(Redacted.make(key)), {
      contentHash: "0".repeat(64),
      bundleSizeBytes: 5,
      bundleContentType: "text/plain",
      isTransformed: false,
      files: [],
      recordings: [],
      git: {}
    })
    return new URL(slots.bundle.putUrl)
  })
  const { pathname, port, search } = await Layer.buildWithScope(host, scope).pipe(
    Effect.flatMap((context) => Effect.provideContext(putUrl, context)),
    Effect.runPromise
  )
  return { port: Number(port), target: pathname + search }
}

const open = (port: number): Socket => {
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  return socket
}

const head = (method: string, path: string, ...headers: ReadonlyArray<string>): string =>
  [`${method} ${path} HTTP/1.1`, "host: slipway", ...headers, "", ""].join("\r\n")

/** Everything received until the server closed the connection. */
const untilClosed = async (socket: Socket): Promise<string> => {
  let came = ""
  socket.on("data", (chunk) => (came += chunk.toString()))
  socket.on("error", () => undefined)
  await once(socket, "close")
  return came
}

/** Sends a byte repeatedly for as long as the connection is open. */
const trickle = (socket: Socket, everyMillis: number): void => {
  const timer = setInterval(() => socket.write("x"), everyMillis)
  socket.on("error", () => clearInterval(timer))
  socket.once("close", () => clearInterval(timer))
}

/** Stops the intervals in which a server looks at its requests; returns what lets so many milliseconds of them pass. */
const intervals = (): ((millis: number) => void) => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] })
  onTestFinished(() => void vi.useRealTimers())
  return (millis) => void vi.advanceTimersByTime(millis)
}

const drained: RequestListener = (request, response) => {
  request.resume().once("end", () => response.end("whole"))
}

describe("a body that never ends", () => {
  const form = ["content-type: application/x-www-form-urlencoded", "content-length: 1000"]

  it("is answered 408 by the whole host, even at the sign-in, and the connection is closed", async () => {
    const { port } = await startHost({ body: 300 })
    const socket = open(port)
    socket.write(`${head("POST", "/sign-in", "x-request-id: mine", ...form)}key=`)
    const [top = "", body = ""] = (await untilClosed(socket)).split("\r\n\r\n")
    assert.match(top, /^HTTP\/1\.1 408 /)
    assert.match(top, /\r\ncontent-type: application\/problem\+json\r\n/i)
    assert.match(top, /\r\nconnection: close/i)
    assert.deepInclude(JSON.parse(body), { code: "request_timeout", status: 408, requestId: "mine" })
  })

  it.each([
    ["that is silent", () => undefined],
    ["that brings a byte now and then", (socket: Socket) => trickle(socket, 20)]
  ])("%s ends after its timeout, however it is sent", async (_, send) => {
    const port = await start({ body: 300 }, drained)
    for (const how of [
      "content-length: 1000000",
      "transfer-encoding: chunked",
      "expect: 100-continue\r\ncontent-length: 9"
    ]) {
      const socket = open(port)
      socket.write(head("POST", "/anything", how))
      if (how.startsWith("content-length")) send(socket)
      assert.match(await untilClosed(socket), /^HTTP\/1\.1 (?:408|100 Continue\r\n\r\nHTTP\/1\.1 408) /, how)
    }
  })

  it("ends also if the answer didn't wait for it or has begun", async () => {
    const port = await start({ body: 300 }, ({ url }, response) => {
      response.writeHead(200)
      return url === "/begun" ? response.write("begun") : response.end("done")
    })
    for (const path of ["/done", "/begun"]) {
      const socket = open(port)
      socket.write(head("POST", path, "content-length: 1000"))
      assert.match(await untilClosed(socket), /^HTTP\/1\.1 200 /)
    }
  })

  it("can't avoid the timeout by an upgrade", async () => {
    const port = await start({ body: 300 }, drained)
    const socket = open(port)
    socket.write(head("POST", "/sign-in", "connection: upgrade", "upgrade: anything", "content-length: 1000"))
    assert.match(await untilClosed(socket), /^HTTP\/1\.1 408 /)
  })
})

describe("an upload", () => {
  const upload = (bytes: number, ...headers: ReadonlyArray<string>) =>
    head("PUT", "/objects/uploads/a?signed", `content-length: ${bytes}`, ...headers)

  it("that makes progress may take many times as long as any other body", async () => {
    const advance = intervals()
    let [received, arrived] = [0, Promise.withResolvers<void>()]
    const times = { body: 250, upload: 1000 }
    const port = await start(times, (request, response) => {
      drained(request, response)
      if (request.method !== "PUT") return arrived.resolve()
      request.on("data", ({ length }: Buffer) => {
        received += length
        if (received % minUploadBytes === 0) arrived.resolve()
      })
    })
    const [socket, other] = [open(port), open(port)]
    other.write(head("POST", "/anything", "content-length: 1"))
    await arrived.promise
    const answer = untilClosed(socket)
    const chunks = 16
    socket.write(upload(chunks * minUploadBytes, "connection: close"))
    for (let sent = 1; sent <= chunks; sent++) {
      arrived = Promise.withResolvers()
      socket.write("x".repeat(minUploadBytes))
      await arrived.promise
      if (sent < chunks) advance(times.upload)
    }
    assert.match(await answer, /^HTTP\/1\.1 200 /)
    assert.match(await untilClosed(other), /^HTTP\/1\.1 408 /)
  })

  it("that makes almost no progress is answered 408", async () => {
    const port = await start({ upload: 300 }, drained)
    const socket = open(port)
    socket.write(upload(1000))
    trickle(socket, 30)
    assert.match(await untilClosed(socket), /^HTTP\/1\.1 408 /)
  })

  it("that stalls is answered 408 by the whole host, and its URL stays valid", async () => {
    const { port, target } = await startHost({ upload: 300 })
    const put = head("PUT", target, "content-type: text/plain", "content-length: 5", "connection: close")
    const stalled = open(port)
    stalled.write(`${put}hell`)
    assert.match(await untilClosed(stalled), /^HTTP\/1\.1 408 /)
    const whole = open(port)
    whole.write(`${put}hello`)
    assert.match(await untilClosed(whole), /^HTTP\/1\.1 200 /)
  })

  it("isn't ended if the host is the one that is slow", async () => {
    const advance = intervals()
    const first = Promise.withResolvers<() => void>()
    const times = { upload: 100 }
    const port = await start(times, (request, response) => first.resolve(() => drained(request, response)))
    const socket = open(port)
    const answer = untilClosed(socket)
    socket.write(`${upload(4, "connection: close")}abc`)
    const take = await first.promise
    advance(10 * times.upload)
    take()
    advance(times.upload)
    socket.write("d")
    assert.match(await answer, /^HTTP\/1\.1 200 /)
  })
})

describe("500 connections that dribble", () => {
  it.each([
    ["in their headers", () => "GET /healthz HTTP/1.1\r\nx-a"],
    ["in the body of a sign-in", () => `${head("POST", "/sign-in", "content-length: 1000")}k`],
    [
      "in the bytes of an upload",
      (target: string) => `${head("PUT", target, "content-type: text/plain", "content-length: 5")}h`
    ]
  ])("%s don't keep a request from being answered", async (_, sent) => {
    const { port, target } = await startHost({})
    const sockets = Array.from({ length: 500 }, () => open(port))
    await Promise.all(
      sockets.map(async (socket) => {
        socket.on("error", () => undefined)
        await once(socket, "connect")
        await new Promise((written) => socket.write(sent(target), written))
      })
    )
    for (let asked = 0; asked < 3; asked += 1) {
      const fast = open(port)
      fast.write(head("GET", "/sign-in", "connection: close"))
      assert.match(await untilClosed(fast), /^HTTP\/1\.1 200 /)
    }
    // They were open all the while, so that each of them was in the way.
    assert.strictEqual(sockets.filter(({ destroyed }) => !destroyed).length, 500)
  })
})

describe("more connections of one address than are allowed", () => {
  it("are answered 503 and closed before anything of them is read, until one of the others ends", async () => {
    let asked = 0
    const listener: RequestListener = (_, response) => {
      asked += 1
      response.end("served")
    }
    const port = await start({}, listener, 2)
    const request = head("GET", "/", "connection: close")
    const held = [open(port), open(port)]
    await Promise.all(held.map((socket) => once(socket, "connect")))
    for (const _ of [1, 2]) {
      const refused = open(port)
      refused.write(request)
      const answer = await untilClosed(refused)
      assert.match(answer, /^HTTP\/1\.1 503 /)
      assert.match(answer, /\r\nretry-after: 1\r\n/)
    }
    assert.strictEqual(asked, 0)
    held[0]?.write(request)
    assert.match(await untilClosed(held[0] ?? open(port)), /served$/)
    // The server may learn a moment after the client that the connection has ended.
    let answer = ""
    while (!answer.endsWith("served")) {
      const next = open(port)
      next.write(request)
      answer = await untilClosed(next)
    }
    assert.strictEqual(asked, 2)
  })
})

describe("a connection", () => {
  it("is closed if nobody reads the answer, but stays open while the host prepares one", async () => {
    const slow = Promise.withResolvers<() => void>()
    const large = Promise.withResolvers<Socket>()
    const port = await start({ reading: 300 }, ({ socket, url }, response) => {
      if (url === "/slow") return slow.resolve(() => response.end("at last"))
      response.end(Buffer.alloc(64 * 1024 ** 2))
      large.resolve(socket)
    })
    const waiting = open(port)
    const answer = untilClosed(waiting)
    waiting.write(head("GET", "/slow", "connection: close"))
    const finish = await slow.promise

    const socket = open(port)
    socket.write(head("GET", "/large"))
    await once(await large.promise, "close")

    finish()
    assert.match(await answer, /at last$/)
  })

  it("without another request is closed", async () => {
    const port = await start({ keepAlive: 100 }, (_, response) => response.end("one"))
    const socket = open(port)
    socket.write(head("GET", "/"))
    assert.match(await untilClosed(socket), /one$/)
  })

  it("whose headers never end is answered 408", async () => {
    const port = await start({ headers: 100 }, (_, response) => response.end())
    const socket = open(port)
    socket.write("GET / HTTP/1.1\r\nhost:")
    assert.match(await untilClosed(socket), /^HTTP\/1\.1 408 /)
  })
})
