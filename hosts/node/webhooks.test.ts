/** Deliveries to a real server. */
import { assert, describe } from "@effect/vitest"
import { Deferred, Duration, Effect, Fiber, Redacted, Schema } from "effect"
import { IpNetwork } from "effect/net"
import { TestClock } from "effect/testing"
import { createSocket } from "node:dgram"
import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http"
import { text } from "node:stream/consumers"
import { Webhook } from "standardwebhooks"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { makeAccount, makeEvent, makeKey } from "../../adapters/kit/parts/samples.ts"
import { SlipwayEvent } from "../../core/model/SlipwayEvent.ts"
import { it } from "../../core/testing/layer.ts"
import { makeSend, receiverAddresses } from "./webhooks.ts"

const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
const send = makeSend()
const event = makeEvent(makeKey(makeAccount()))

interface Taken {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly path: string | undefined
}

/** A receiver with this answer, and the requests that it received. It stops when the scope closes. */
const receiver = Effect.fnUntraced(function* (answer: (response: ServerResponse) => void) {
  const taken: Array<Taken> = []
  const asked = yield* Deferred.make<void>()
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      taken.push({ headers: request.headers, body, path: request.url })
      Deferred.doneUnsafe(asked, Effect.void)
      answer(response)
    })
  })
  const port = yield* Effect.acquireRelease(
    Effect.promise(() => listen(server)),
    () => Effect.sync(() => server.close().closeAllConnections())
  )
  const deliver = send({ url: `http://127.0.0.1:${port}/hook`, secret: Redacted.make(secret) }, event)
  return { asked: Deferred.await(asked), deliver, taken }
})

const answering = (status: number, headers: Record<string, string> = {}) =>
  receiver((response) => void response.writeHead(status, headers).end("an answer"))

describe("a webhook", () => {
  it.live("is sent the event as JSON, signed as Standard Webhooks has it", function* () {
    const { deliver, taken } = yield* answering(204)
    assert.strictEqual(yield* deliver, "answered 204")
    const [first] = taken
    if (first === undefined) return assert.fail("nothing came")
    assert.strictEqual(first.path, "/hook")
    assert.strictEqual(first.headers["content-type"], "application/json")
    assert.strictEqual(first.headers["webhook-id"], event.id)
    const headers = Object.fromEntries(Object.entries(first.headers).map(([name, value]) => [name, String(value)]))
    assert.deepStrictEqual(new Webhook(secret).verify(first.body, headers), Schema.encodeSync(SlipwayEvent)(event))
    const other = `whsec_${Buffer.alloc(32, 8).toString("base64")}`
    assert.throws(() => new Webhook(other).verify(first.body, headers))
  })

  it.live.each([400, 404, 410, 500])("that answers %d has not accepted the event", function* (status) {
    const { deliver } = yield* answering(status)
    const failed = yield* Effect.flip(deliver)
    assert.strictEqual(failed.reason, `answered ${status}`)
    assert.isUndefined(failed.retryAfter)
  })

  it.live("that redirects the event has not accepted it, and the redirect is not followed", function* () {
    const elsewhere = yield* answering(204)
    const { deliver, taken } = yield* answering(307, { location: "/elsewhere" })
    assert.strictEqual((yield* Effect.flip(deliver)).reason, "answered 307")
    assert.strictEqual(taken.length, 1)
    assert.deepStrictEqual(elsewhere.taken, [])
  })

  it.live.each([429, 503])("that answers %d is retried after its Retry-After", function* (status) {
    const { deliver } = yield* answering(status, { "retry-after": "120" })
    const failed = yield* Effect.flip(deliver)
    assert.strictEqual(failed.retryAfter && Duration.toSeconds(failed.retryAfter), 120)
  })

  it.live("whose answer never ends is not waited for", function* () {
    const closed = yield* Deferred.make<void>()
    const { deliver } = yield* receiver((response) => {
      response.writeHead(200)
      const more = (): void => void (response.destroyed || response.write("x".repeat(65_536), () => more()))
      response.once("close", () => Deferred.doneUnsafe(closed, Effect.void))
      more()
    })
    yield* deliver
    yield* Deferred.await(closed)
  })

  it.effect("that doesn't answer in fifteen seconds has not accepted the event", function* () {
    const { asked, deliver } = yield* receiver(() => {})
    const delivering = yield* Effect.forkChild(Effect.flip(deliver))
    yield* asked
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual((yield* Fiber.join(delivering)).reason, "no answer in 15s")
  })

  it.live("that can't be reached has not accepted the event, and the reason names no URL", function* () {
    const { deliver } = yield* Effect.scoped(answering(204))
    const { reason } = yield* Effect.flip(deliver)
    assert.include(reason, "ECONNREFUSED")
    assert.notInclude(reason, "/hook")
  })
})

// Which addresses webhooks are sent to, with a real name server.

const signing = Redacted.make(`whsec_${Buffer.alloc(32, 7).toString("base64")}`)
const sent = makeEvent(makeKey(makeAccount()))
const allowed = [IpNetwork.fromStringUnsafe("127.0.0.2/32")]

/** The name and the type that a query asks for. */
const questionOf = (query: Buffer) => {
  const labels: Array<string> = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join("."), type: query.readUInt16BE(at + 1), end: at + 5 }
}

/**
 * A name server until the scope closes. It answers queries for IPv4 addresses with what `answer` returns, and no others; nothing
 * where that is `undefined`.
 */
const nameServer = Effect.fnUntraced(function* (answer: (name: string) => string | undefined) {
  const socket = createSocket("udp4")
  socket.on("message", (query, { address, port }) => {
    const { end, name, type } = questionOf(query)
    const found = type === 1 ? answer(name) : ""
    if (found === undefined) return
    const header = Buffer.from([...query.subarray(0, 2), 0x81, 0x80, 0, 1, 0, found === "" ? 0 : 1, 0, 0, 0, 0])
    const record = Buffer.from([0xc0, 0x0c, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...found.split(".").map(Number)])
    const parts = [header, query.subarray(12, end), ...(found === "" ? [] : [record])]
    socket.send(Buffer.concat(parts), port, address)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void socket.bind(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.callback<void>((resume) => void socket.close(() => resume(Effect.void)))
  )
  return [`127.0.0.1:${socket.address().port}`]
})

/** A receiver at each of these addresses on one port, until the scope closes. It answers which of them were sent something. */
const receivers = Effect.fnUntraced(function* (addresses: ReadonlyArray<string>) {
  const heard: Array<string> = []
  let port = 0
  for (const address of addresses) {
    const server = createServer((request, response) => {
      heard.push(address)
      request.resume()
      response.writeHead(204).end()
    })
    yield* Effect.acquireRelease(
      Effect.callback<void>((resume) => void server.listen(port, address, () => resume(Effect.void))),
      () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
    )
    const bound = server.address()
    port = typeof bound === "object" && bound !== null ? bound.port : 0
  }
  return { heard, url: (host: string) => `http://${host}:${port}/hook` }
})

const addressesOf = (url: string, networks: ReadonlyArray<string> = []) =>
  receiverAddresses(new URL(url), { allowed: networks.map(IpNetwork.fromStringUnsafe) }).pipe(
    Effect.map((found) => found.map(({ address }) => address)),
    Effect.catch(({ reason }) => Effect.succeed(reason))
  )

describe("a webhook", () => {
  it.live.each([
    "169.254.169.254",
    "[fd00:ec2::254]",
    "100.100.100.200",
    "168.63.129.16",
    "[fe80::1]",
    "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]",
    "[2002:a9fe:a9fe::1]",
    "0.0.0.0",
    "[::]",
    "10.0.0.5",
    "172.31.255.255",
    "192.168.1.1",
    "[fc00::1]",
    "224.0.0.1",
    "255.255.255.255",
    // The same address in other ways of writing.
    "0xa9fea9fe",
    "2852039166",
    "0251.0376.0251.0376"
  ])("is not sent to %s", function* (host) {
    const refused = String(yield* addressesOf(`https://${host}/`))
    assert.include(refused, "has no public address")
    assert.include(refused, "SLIPWAY_WEBHOOK_ALLOWED_NETWORKS")
  })

  it.live("is sent to public addresses, to allowed networks, and to the machine where its URL names it", function* () {
    const publicOnes = ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"]
    for (const address of publicOnes) {
      const host = address.includes(":") ? `[${address}]` : address
      assert.deepStrictEqual(yield* addressesOf(`https://${host}/`), [address])
    }
    assert.deepStrictEqual(yield* addressesOf("https://10.0.0.5/", ["10.0.0.0/24"]), ["10.0.0.5"])
    assert.include(String(yield* addressesOf("https://10.0.1.5/", ["10.0.0.0/24"])), "no public address")
    assert.deepStrictEqual(yield* addressesOf("http://127.0.0.1:9000/"), ["127.0.0.1"])
    assert.deepStrictEqual(yield* addressesOf("http://[::1]:9000/"), ["::1"])
  })

  it.live("is not sent to this machine by a name that resolves to it", function* () {
    const nameServers = yield* nameServer(() => "127.0.0.1")
    const { heard, url } = yield* receivers(["127.0.0.1"])
    const { reason } = yield* Effect.flip(
      makeSend({ nameServers })({ url: url("inside.example"), secret: signing }, sent)
    )
    assert.include(reason, "inside.example has no public address (127.0.0.1)")
    assert.deepStrictEqual(heard, [])
  })

  it.live("is sent to the address that was checked, whatever the name server answers next", function* () {
    let queries = 0
    const nameServers = yield* nameServer(() => ((queries += 1) === 1 ? "127.0.0.2" : "127.0.0.1"))
    const { heard, url } = yield* receivers(["127.0.0.2", "127.0.0.1"])
    const send = makeSend({ allowed, nameServers })
    assert.strictEqual(yield* send({ url: url("rebinding.example"), secret: signing }, sent), "answered 204")
    assert.deepStrictEqual([queries, heard], [1, ["127.0.0.2"]])
    const { reason } = yield* Effect.flip(send({ url: url("rebinding.example"), secret: signing }, sent))
    assert.include(reason, "no public address")
    assert.deepStrictEqual(heard, ["127.0.0.2"])
  })

  it.live("is resolved beside sixty whose name servers don't answer", function* () {
    const asked = new Set<string>()
    const all = yield* Effect.sync(() => Promise.withResolvers<void>())
    const nameServers = yield* nameServer((name) => {
      if (name === "works.example") return "127.0.0.2"
      asked.add(name)
      if (asked.size === 60) all.resolve()
      return undefined
    })
    const { heard, url } = yield* receivers(["127.0.0.2"])
    const send = makeSend({ allowed, nameServers })
    for (let one = 0; one < 60; one++) {
      yield* Effect.forkScoped(send({ url: url(`hangs-${one}.example`), secret: signing }, sent))
    }
    yield* Effect.promise(() => all.promise)
    yield* send({ url: url("works.example"), secret: signing }, sent)
    assert.deepStrictEqual([asked.size, heard], [60, ["127.0.0.2"]])
  })
})
