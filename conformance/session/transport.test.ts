import { assert, describe } from "@effect/vitest"
import { Effect } from "effect"
import { once } from "node:events"
import { createServer, type RequestListener } from "node:http"
import { it } from "../../core/testing/layer.ts"
import { brokenTargets } from "../fair/hosts.ts"
import { toResponse, Transport, waitBefore } from "./transport.ts"

const send = (
  url: string,
  more: { readonly timeoutMs?: number; readonly method?: string; readonly body?: string } = {}
) =>
  Transport.use((transport) =>
    transport.send({ method: "GET", url, headers: {}, body: undefined, timeoutMs: 60_000, ...more })
  )

/** A server of the test on a free port, which records every request to it. */
const serving = (answer: RequestListener, onConnect: (to: string | undefined) => void = () => {}) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(answer).listen(0, "127.0.0.1")
      await once(server, "listening")
      server.on("connect", ({ url }, socket) => {
        onConnect(url)
        socket.on("error", () => {}).end("HTTP/1.1 502 Bad Gateway\r\n\r\n")
      })
      const address = server.address()
      return { server, url: `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}` }
    }),
    ({ server }) =>
      Effect.promise(async () => {
        server.closeAllConnections()
        server.close()
        await once(server, "close")
      })
  ).pipe(Effect.map(({ url }) => url))

describe("a proxy", () => {
  it.live("that the environment names takes the request to the target", function* () {
    const asked: Array<string | undefined> = []
    const proxy = yield* serving(({ url }, response) => {
      asked.push(url)
      response.end('{"from":"proxy"}')
    })
    const answer = yield* Effect.acquireUseRelease(
      Effect.sync(() => Object.assign(process.env, { HTTP_PROXY: proxy })),
      () => send("http://behind.example/api/v1/builds").pipe(Effect.provide(Transport.layer)),
      () => Effect.sync(() => delete process.env["HTTP_PROXY"])
    )
    assert.deepStrictEqual(answer.json, { from: "proxy" })
    assert.deepStrictEqual(asked, ["http://behind.example/api/v1/builds"])
  })

  it.live("is asked for a way to a target that speaks HTTPS", function* () {
    const asked: Array<string | undefined> = []
    const proxy = yield* serving(
      (_, response) => response.end(),
      (to) => asked.push(to)
    )
    yield* Effect.acquireUseRelease(
      Effect.sync(() => Object.assign(process.env, { HTTPS_PROXY: proxy })),
      () => Effect.flip(send("https://behind.example/api/v1/builds")).pipe(Effect.provide(Transport.layer)),
      () => Effect.sync(() => delete process.env["HTTPS_PROXY"])
    )
    assert.deepStrictEqual(asked, ["behind.example:443"])
  })
})

describe("a proxy that can't be reached", () => {
  for (const [variable, proxy, reason] of [
    [
      "HTTP_PROXY",
      undefined,
      /^Nothing listens at http:\/\/127\.0\.0\.1:\d+ \(the proxy in HTTP_PROXY\): the connection/
    ],
    [
      "HTTPS_PROXY",
      "http://user:secret@nobody.invalid:9",
      /^The name in http:\/\/nobody\.invalid:9 \(the proxy in HTTPS_PROXY\) can't/
    ]
  ] as const) {
    it.live(`is named with its variable ${variable}`, function* () {
      const closed = yield* Effect.scoped(serving(() => {}))
      const { reason: said } = yield* Effect.acquireUseRelease(
        Effect.sync(() => Object.assign(process.env, { [variable]: proxy ?? closed })),
        () => Effect.flip(send("https://behind.example/api/v1/builds")).pipe(Effect.provide(Transport.layer)),
        () => Effect.sync(() => delete process.env[variable])
      )
      assert.match(said, reason)
    })
  }
})

describe("a request that gets no answer says why", () => {
  for (const [name, reason] of [
    ["hanging", /gave no answer within 0\.2 seconds\.$/],
    ["closing", /closed the connection without a whole answer\.$/],
    ["garbage", /does not speak HTTP \(.+\)\.$/],
    ["untrusted", /^The certificate of https:.+ is not trusted \(self-signed certificate.*NODE_EXTRA_CA_CERTS\.$/]
  ] as const) {
    it.live(name, () =>
      Effect.gen(function* () {
        const target = yield* Effect.acquireRelease(Effect.promise(brokenTargets[name]), (target) =>
          Effect.promise(target.stop)
        )
        const { reason: said, url } = yield* Effect.flip(
          send(`${target.url}/x`, { timeoutMs: name === "hanging" ? 200 : 60_000 })
        )
        assert.match(said, reason)
        assert.strictEqual(url, `${target.url}/x`)
      }).pipe(Effect.provide(Transport.layer))
    )
  }

  it.live("a refused connection, an unknown host, https to a plain server, an answer that breaks off", () =>
    Effect.gen(function* () {
      const url = yield* serving((_, response) => {
        response.writeHead(200, { "content-length": "100" }).write("half")
        setImmediate(() => response.destroy())
      })
      const closed = yield* Effect.scoped(serving(() => {}))
      const reason = (url: string) => Effect.map(Effect.flip(send(url)), ({ reason }) => reason)
      assert.match(yield* reason(closed), /^Nothing listens at http:.+: the connection was refused\.$/)
      assert.match(
        yield* reason("http://nobody.invalid/"),
        /^The name in http:\/\/nobody\.invalid can't be resolved\.$/
      )
      assert.match(yield* reason(url.replace("http:", "https:")), /does not speak TLS as https needs it\.$/)
      assert.match(yield* reason(url), /closed the connection without a whole answer\.$/)
    }).pipe(Effect.provide(Transport.layer))
  )
})

describe("an answer", () => {
  it.live("is passed on whatever its status, and no redirect is followed", () =>
    Effect.gen(function* () {
      const url = yield* serving((_, response) =>
        response.writeHead(302, { location: "/elsewhere", "x-a": ["1", "2"] }).end("{}")
      )
      const { headers, json, status } = yield* send(url)
      assert.strictEqual(status, 302)
      assert.strictEqual(headers.location, "/elsewhere")
      assert.deepStrictEqual(json, {})
    }).pipe(Effect.provide(Transport.layer))
  )

  it.live("is read up to a bound, even when it never ends", () =>
    Effect.gen(function* () {
      const url = yield* serving((_, response) => {
        const more = () => void (response.destroyed || response.write("x".repeat(65_536), () => setImmediate(more)))
        more()
      })
      const { json, text } = yield* send(url)
      assert.isUndefined(json)
      assert.strictEqual(text, "x".repeat(16 * 1024))
    }).pipe(Effect.provide(Transport.layer))
  )

  it("doesn't count as JSON when it is nested too deeply", () => {
    const nested = (depth: number) => toResponse(200, {}, `${'{"a":['.repeat(depth)}"[{\\""${"]}".repeat(depth)}`).json
    assert.isDefined(nested(50))
    assert.isUndefined(nested(51))
    assert.isUndefined(nested(300_000))
  })

  it.live("belongs to a request that was sent exactly as given", () =>
    Effect.gen(function* () {
      const url = yield* serving((request, response) => {
        const { headers, method, url } = request
        request.setEncoding("utf8").once("data", (body) => response.end(JSON.stringify({ headers, method, url, body })))
      })
      const { json } = yield* Transport.use((transport) =>
        transport.send({
          method: "PUT",
          url: `${url}/a%2Fb?c=d%20e&f`,
          headers: { "content-type": "text/css" },
          body: new TextEncoder().encode("body{}"),
          timeoutMs: 60_000
        })
      )
      const { host } = new URL(url)
      assert.deepStrictEqual(json, {
        headers: { host, connection: "keep-alive", "content-type": "text/css", "content-length": "6" },
        method: "PUT",
        url: "/a%2Fb?c=d%20e&f",
        body: "body{}"
      })
    }).pipe(Effect.provide(Transport.layer))
  )
})

const now = Date.parse("2026-11-21T10:00:00Z")

const answered = (status: number, retryAfter?: string) =>
  toResponse(status, retryAfter === undefined ? {} : { "retry-after": retryAfter }, "")

describe("whether a request is sent again", () => {
  it("is decided by the target's Retry-After, in seconds or as a date", () => {
    assert.strictEqual(waitBefore(answered(429, "3"), 0, 0, now), 3000)
    assert.strictEqual(waitBefore(answered(503, "0"), 4, 0, now), 0)
    assert.strictEqual(waitBefore(answered(503, "Sat, 21 Nov 2026 10:00:07 GMT"), 0, 0, now), 7000)
    assert.strictEqual(waitBefore(answered(503, "Sat, 21 Nov 2026 09:00:00 GMT"), 0, 0, now), 0)
  })

  it("waits longer each time after a 429 without Retry-After, and doesn't repeat after such a 503", () => {
    assert.deepStrictEqual(
      [0, 1, 2].map((retries) => waitBefore(answered(429), retries, 0, now)),
      [1000, 2000, 4000]
    )
    assert.isUndefined(waitBefore(answered(503), 0, 0, now))
  })

  it("ends after a bound, and other statuses are never repeated", () => {
    assert.isUndefined(waitBefore(answered(429, "1"), 5, 0, now))
    assert.isUndefined(waitBefore(answered(429, "31"), 0, 0, now))
    assert.isUndefined(waitBefore(answered(429, "2"), 1, 29_000, now))
    assert.isUndefined(waitBefore(answered(503, "soon"), 0, 0, now))
    assert.isUndefined(waitBefore(answered(500, "1"), 0, 0, now))
    assert.isUndefined(waitBefore(answered(200, "1"), 0, 0, now))
  })
})
