/** The access log of a host, on real requests. */
import { assert, describe } from "@effect/vitest"
import { Console, Effect } from "effect"
import { once } from "node:events"
import { connect } from "node:net"
import { onTestFinished } from "vitest"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { it, layer } from "../../core/testing/layer.ts"
import { serveHere } from "../cli/testing/slipway.ts"
import { inMemory } from "../http/testing/engines.ts"
import { newAccount, TestHost } from "../http/testing/TestHost.ts"
import { reserve } from "../http/testing/uploads.ts"
import { signIn, visit } from "../viewer/testing/visit.ts"
import { accessLogTo, type AccessLog } from "./accessLog.ts"
import { makeServer } from "./httpServer.ts"
import { layerOf } from "./logger.ts"

/** The lines that a log wrote, to be waited for: a line comes when its answer has left, so a client may have that before. */
const linesKept = () => {
  const lines: Array<string> = []
  const waiting = new Set<() => void>()
  return {
    write: (line: string) => {
      lines.push(line)
      for (const look of waiting) look()
    },
    lines,
    /** The first line with this text. */
    withText: (text: string) =>
      Effect.callback<string>((resume) => {
        const look = () => {
          const found = lines.find((line) => line.includes(text))
          if (found === undefined) return void waiting.add(look)
          waiting.delete(look)
          resume(Effect.succeed(found))
        }
        look()
      })
  }
}

const fieldsOf = (line: string): Record<string, string> =>
  Object.fromEntries(line.matchAll(/(\w+)=("(?:[^"\\]|\\.)*"|\S+)/g).map(([, name = "", value = ""]) => [name, value]))

const kept = linesKept()

const keptAsJson = linesKept()

/** Logs in both formats. */
const both: AccessLog = (request, response) => {
  accessLogTo(kept.write, { share: 1 })(request, response)
  accessLogTo(keptAsJson.write, { share: 1, format: "json" })(request, response)
}

layer(TestHost.layer(inMemory, {}, { accessLog: both }))("the access log of a host", (it) => {
  it.effect("has the id, method, path, status, time, bytes, account and key of an API request", function* () {
    const host = yield* TestHost
    const account = yield* newAccount()
    const { id } = yield* reserve(account)
    const [path, requestId] = [`/api/v1/builds/${id}`, "read-of-a-build"]
    const { text } = yield* host.call("GET", `${path}?more`, {
      key: account.key,
      headers: { "x-request-id": requestId }
    })
    const line = yield* kept.withText(requestId)
    const { bytes, key, ms, timestamp, account: accountId, ...fields } = fieldsOf(line)
    const rest = { level: "INFO", message: "request", requestId, method: "GET", path, status: "200" }
    assert.deepStrictEqual(fields, rest)
    assert.strictEqual(key, account.keyId)
    assert.match(accountId ?? "", /^[0-9a-f-]{36}$/)
    assert.isAbove(Number(bytes), text.length)
    assert.isAtLeast(Number(ms), 0)
    assert.isFalse(Number.isNaN(Date.parse(timestamp ?? "")))
  })

  it.effect("has the signed-in user of a page, and none for a refusal", function* () {
    const account = yield* newAccount()
    const cookie = yield* signIn(account.key)
    yield* visit("GET", "/sessions", { cookie, headers: { "x-request-id": "a-page" } })
    yield* visit("GET", "/sessions", { headers: { "x-request-id": "nobody" } })
    assert.include(yield* kept.withText("a-page"), `path=/sessions status=200`)
    assert.include(yield* kept.withText("a-page"), ` key=${account.keyId}`)
    const refused = yield* kept.withText("nobody")
    assert.include(refused, "path=/sessions status=401")
    assert.notInclude(refused, "key=")
  })

  it.effect("has no secret of a path, a query or a header", function* () {
    const host = yield* TestHost
    const account = yield* newAccount()
    const { slots } = yield* reserve(account)
    const put = new URL(slots.bundle.putUrl)
    const cookie = yield* signIn(account.key)
    const secret = "S".repeat(32)
    const asked: ReadonlyArray<readonly [method: string, path: string, shown: string]> = [
      ["PUT", put.pathname + put.search, "/objects/*"],
      ["GET", `/shared/${secret}`, "/shared/:secret"],
      ["GET", `/replay/${secret}.${secret}/index.html`, "/replay/*"],
      ["GET", `/builds/${account.key}`, "/builds/:id"],
      ["GET", `/nowhere/${secret}?token=${secret}`, "/*"],
      ["GET", `/api/v1/builds?key=${account.key}`, "/api/v1/builds"]
    ]
    for (const [index, [method, path, shown]] of asked.entries()) {
      const requestId = `secret-${index}`
      yield* host.call(method, path, { key: account.key, headers: { cookie, "x-request-id": requestId } })
      assert.include(yield* kept.withText(`${requestId} `), ` path=${shown} `)
    }
    const [, cookieSecret = ""] = cookie.split("=")
    for (const one of [secret, account.key, put.search.slice(1), put.pathname.slice(9), cookieSecret]) {
      assert.isEmpty(kept.lines.filter((line) => line.includes(one)))
    }
  })

  it.effect("has the trace of a client, as JSON too", function* () {
    const host = yield* TestHost
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
    const headers = { "x-request-id": "traced", traceparent: `00-${traceId}-00f067aa0ba902b7-01` }
    yield* host.call("GET", "/healthz", { headers })
    assert.include(yield* kept.withText("requestId=traced "), ` traceId=${traceId}`)
    const { ms, timestamp, ...fields } = JSON.parse(yield* keptAsJson.withText("traced"))
    assert.isAbove(fields.bytes, 0)
    assert.deepStrictEqual(
      { ...fields, bytes: 0 },
      {
        level: "INFO",
        message: "request",
        requestId: "traced",
        method: "GET",
        path: "/healthz",
        status: 200,
        bytes: 0,
        traceId
      }
    )
    assert.isFalse(Number.isNaN(Date.parse(timestamp)))
    assert.isAtLeast(ms, 0)
  })

  it.effect("lists a request without an answer", function* () {
    const { port } = new URL((yield* TestHost).url)
    yield* Effect.promise(async () => {
      const socket = connect(Number(port), "127.0.0.1")
      await once(socket, "connect")
      socket.write("POST /sign-in HTTP/1.1\r\nhost: slipway\r\nx-request-id: gone\r\ncontent-length: 9\r\n\r\nk")
      // The server has the request when it says what it lacks, and that is what the connection is closed on.
      socket.end()
      await once(socket.resume(), "close")
    })
    assert.include(yield* kept.withText("method=POST cut=true"), "cut=true")
  })
})

describe("the lines of a sampled access log", () => {
  const sampled = linesKept()
  const numbers = [0.05, 0.5, 0.5]
  const accessLog = accessLogTo(sampled.write, { share: 0.1, random: () => numbers.shift() ?? 1 })

  it.effect("are those of a share of requests", () =>
    Effect.gen(function* () {
      const host = yield* TestHost
      for (const requestId of ["first", "second", "third"]) {
        yield* host.call("GET", "/healthz", { headers: { "x-request-id": requestId } })
      }
      assert.strictEqual(yield* sampled.withText("requestId="), yield* sampled.withText("requestId=first"))
      assert.notInclude(sampled.lines.join(), "second")
    }).pipe(Effect.provide(TestHost.layer(inMemory, {}, { accessLog })))
  )

  it.effect("are those of all answers of 500 and above, too", function* () {
    const server = makeServer()
    const failing = linesKept()
    server.begins = accessLogTo(failing.write, { share: 0.1, random: () => 1 })
    server.on("request", ({ url = "" }, response) => response.writeHead(Number(url.slice(1))).end())
    onTestFinished(() => void server.close())
    const port = yield* Effect.promise(() => listen(server))
    for (const status of [200, 404, 499, 500, 503]) {
      yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/${status}`).then((answer) => answer.text()))
    }
    yield* failing.withText("status=503")
    assert.deepStrictEqual(
      failing.lines.map((line) => fieldsOf(line)["status"]),
      ["500", "503"]
    )
  })
})

describe("the log of a host as JSON", () => {
  it.effect(
    "has one shape for its lines and those of requests: annotations and objects after the message are fields",
    function* () {
      const lines: Array<string> = []
      const console = { ...globalThis.console, error: (line: unknown) => void lines.push(String(line)) }
      yield* Effect.logError("It failed", { key: "hosted/a" }, "why").pipe(
        Effect.annotateLogs({ failures: 3 }),
        Effect.provide(layerOf("json")),
        Effect.provideService(Console.Console, console)
      )
      const { fiber, timestamp, ...fields } = JSON.parse(lines[0] ?? "")
      const named = { level: "ERROR", message: "It failed", key: "hosted/a", details: ["why"], failures: 3 }
      assert.deepStrictEqual(fields, named)
      assert.match(fiber, /^#\d+$/)
      assert.isFalse(Number.isNaN(Date.parse(timestamp)))
    }
  )

  it.effect("begins with a line of that shape, on stdout, with the URL", () =>
    Effect.promise(async () => {
      const { line } = await serveHere(["--port", "0"], { env: { SLIPWAY_LOG_FORMAT: "json" } })
      const { level, message, url } = JSON.parse(line)
      assert.deepStrictEqual({ level, message }, { level: "INFO", message: `Slipway listening on ${url}` })
    })
  )
})
