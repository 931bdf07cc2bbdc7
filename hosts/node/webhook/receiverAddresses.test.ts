/** Which addresses webhooks are sent to, with a real name server and real receivers. */
import { assert, describe } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { createSocket } from "node:dgram"
import { createServer } from "node:http"
import { makeAccount, makeEvent, makeKey } from "../../../adapters/kit/parts/samples.ts"
import { it } from "../../http/testing/layer.ts"
import { receiverAddresses } from "./receiverAddresses.ts"
import { makeSend } from "./webhook.ts"

const secret = Redacted.make(`whsec_${Buffer.alloc(32, 7).toString("base64")}`)
const event = makeEvent(makeKey(makeAccount()))
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
const nameServer = (answer: (name: string) => string | undefined) =>
  Effect.gen(function* () {
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
    const { reason } = yield* Effect.flip(makeSend({ nameServers })({ url: url("inside.example"), secret }, event))
    assert.include(reason, "inside.example has no public address (127.0.0.1)")
    assert.deepStrictEqual(heard, [])
  })

  it.live("is sent to the address that was checked, whatever the name server answers next", function* () {
    let queries = 0
    const nameServers = yield* nameServer(() => ((queries += 1) === 1 ? "127.0.0.2" : "127.0.0.1"))
    const { heard, url } = yield* receivers(["127.0.0.2", "127.0.0.1"])
    const send = makeSend({ allowed, nameServers })
    assert.strictEqual(yield* send({ url: url("rebinding.example"), secret }, event), "answered 204")
    assert.deepStrictEqual([queries, heard], [1, ["127.0.0.2"]])
    const { reason } = yield* Effect.flip(send({ url: url("rebinding.example"), secret }, event))
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
      yield* Effect.forkScoped(send({ url: url(`hangs-${one}.example`), secret }, event))
    }
    yield* Effect.promise(() => all.promise)
    yield* send({ url: url("works.example"), secret }, event)
    assert.deepStrictEqual([asked.size, heard], [60, ["127.0.0.2"]])
  })
})
