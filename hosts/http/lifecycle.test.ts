/** Slipway in a server of somebody else: how it starts, hands over, knows its clients, and stops. */
import { Effect, Layer, ManagedRuntime, Redacted } from "effect"
import { IpNetwork } from "effect/net"
import { once } from "node:events"
import { mkdtempSync, rmSync } from "node:fs"
import { Agent, createServer, request as httpRequest, type IncomingMessage, type RequestListener } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished, vi } from "vitest"
import * as embedded from "../../adapters/embedded/index.ts"
import * as memory from "../../adapters/memory/index.ts"
import { layerClient } from "../../adapters/sqlite/index.ts"
import { SweepStore } from "../../core/ports/SweepStore.ts"
import { Administration } from "../../core/service/Administration.ts"
import { createClient } from "../client/browser.ts"
import { layerHealth, makeSlipway, nodeListener } from "./index.ts"

const url = "http://127.0.0.1:1"
const secret = Redacted.make("signs upload URLs")

type Options = Partial<Parameters<typeof makeSlipway>[0]>

const inMemory = (options: Options = {}) => {
  const { ports, routes } = memory.engines({ url, secret })
  const slipway = makeSlipway({ settings: { url }, ports, routes: Layer.merge(routes, layerHealth), ...options })
  onTestFinished(() => slipway.dispose())
  return slipway
}

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "slipway-embedded-"))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const inFolder = (data: string) => {
  const { ports, routes } = embedded.engines({ data, url, secret })
  const slipway = makeSlipway({ settings: { url }, ports, routes: Layer.merge(routes, layerHealth) })
  onTestFinished(() => slipway.dispose())
  return slipway
}

const rejected = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => assert.fail("it was fulfilled"),
    (error: Error) => error.message
  )

const health = (slipway: ReturnType<typeof inMemory>) => slipway.fetch(new Request(`${url}/healthz`))

const createAccount = Administration.use((admin) => admin.createAccount({ name: "acme" }))

describe("the start", () => {
  it("fails with the reason while another process has the folder, and is tried again by the next request", async () => {
    const data = newFolder()
    const metadata = join(data, "metadata.sqlite")
    // Without CloseOnReopen, this holds the folder as another process does.
    const other = ManagedRuntime.make(layerClient({ file: metadata }))
    await other.context()
    const slipway = inFolder(data)
    const inUse = `The database ${metadata} is in use by another process. Stop that one first, or choose another.`
    assert.strictEqual(await rejected(slipway.ready), inUse)
    assert.strictEqual(await rejected(slipway.run(createAccount)), inUse)
    const refused = await health(slipway)
    assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [503, "5"])
    assert.strictEqual((await refused.json()).code, "unavailable")
    await other.dispose()
    assert.strictEqual((await health(slipway)).status, 200)
    await slipway.ready
  })

  it("of another one on the same folder, as after a hot reload, closes the first", async () => {
    const data = newFolder()
    const first = inFolder(data)
    await first.run(createAccount)
    const second = inFolder(data)
    assert.lengthOf(await second.run(Administration.use((admin) => admin.listAccounts())), 1)
    const sentence = "This Slipway is closed, because another one in this process opened"
    assert.include(await rejected(first.run(createAccount)), sentence)
    assert.include(await rejected(first.ready), sentence)
    assert.strictEqual((await health(first)).status, 503)
    assert.strictEqual((await health(second)).status, 200)
  })

  it("is refused on layers and secrets of another copy of effect", async () => {
    const layers = new URL(import.meta.resolve("effect/Layer"))
    layers.search = "?another-copy"
    const other: typeof Layer = await import(/* @vite-ignore */ layers.href)
    const { ports } = memory.engines({ url, secret })
    assert.throws(() => makeSlipway({ settings: { url }, ports: other.fresh(ports) }), "npm ls effect")
    // Only the copy that made a secret has its text.
    const unknown = Object.create(secret)
    assert.throws(() => memory.engines({ url, secret: unknown }), "The secret is not a Redacted of the copy")
  })

  it("opens nothing before the first use", () => {
    const ports = Layer.effectDiscard(Effect.sync(() => assert.fail("it was opened")))
    makeSlipway({ settings: { url }, ports: Layer.merge(memory.engines({ url, secret }).ports, ports) })
  })

  it("is refused with a sentence after dispose", async () => {
    const slipway = inMemory()
    await slipway.ready
    await slipway.dispose()
    assert.include(await rejected(slipway.run(createAccount)), "dispose was called. Make another one")
    assert.strictEqual((await health(slipway)).status, 503)
  })
})

describe("the client's address", () => {
  const fewGuesses = { url, rates: { guesses: 10 } }
  const wrongKey = (headers: Record<string, string> = {}) =>
    new Request(`${url}/api/v1/builds/x`, { headers: { authorization: "Bearer slip_wrong", ...headers } })

  it("limits wrong keys", async () => {
    const slipway = inMemory({ settings: fewGuesses })
    const statuses = new Set<number>()
    for (let sent = 0; sent < 20; sent++) {
      statuses.add((await slipway.fetch(wrongKey(), { clientAddress: "192.0.2.1" })).status)
    }
    assert.sameMembers([...statuses], [401, 429])
    assert.strictEqual((await slipway.fetch(wrongKey(), { clientAddress: "192.0.2.2" })).status, 401)
  })

  it("is the one that a trusted proxy forwards", async () => {
    const slipway = inMemory({ settings: fewGuesses, trustedProxies: [IpNetwork.fromStringUnsafe("10.0.0.0/8")] })
    for (let sent = 0; sent < 20; sent++) {
      await slipway.fetch(wrongKey({ "x-forwarded-for": "192.0.2.1" }), { clientAddress: "10.0.0.1" })
    }
    const statusOf = async (forwarded: string, clientAddress: string) =>
      (await slipway.fetch(wrongKey({ "x-forwarded-for": forwarded }), { clientAddress })).status
    assert.strictEqual(await statusOf("192.0.2.1", "10.0.0.1"), 429)
    assert.strictEqual(await statusOf("192.0.2.2", "10.0.0.1"), 401)
    assert.strictEqual(await statusOf("192.0.2.1", "192.0.2.3"), 401)
  })

  it("is refused if it is none", async () => {
    const clientAddress = "192.0.2.1:80"
    assert.include(
      await rejected(inMemory().fetch(wrongKey(), { clientAddress })),
      "clientAddress must be an IP address"
    )
  })

  it("is in the audit log beside the actor, of requests and of run", async () => {
    const slipway = inMemory({ authenticate: () => ({ account: "acme", scopes: ["preview_upload"] }) })
    await slipway.run(createAccount, { clientAddress: "192.0.2.1", actor: "Ada" })
    await slipway.run(Administration.use((admin) => admin.createAccount({ name: "other" })))
    const fetch: typeof globalThis.fetch = (input, init) =>
      slipway.fetch(new Request(input, init), { clientAddress: "192.0.2.2", actor: "Grace" })
    const bundle = { body: new TextEncoder().encode("app()"), contentType: "text/javascript" }
    await createClient({ url, credentials: "include", fetch }).previews.upload({ bundle })
    const entries = await slipway.run(Administration.use((admin) => admin.listAudit({ limit: 10 })))
    assert.deepStrictEqual(
      entries.map(({ actor, address }) => ({ actor, address })),
      [
        { actor: { embedder: "Grace" }, address: "192.0.2.2" },
        { actor: { administrator: "embedding server" }, address: undefined },
        { actor: { administrator: "Ada" }, address: "192.0.2.1" }
      ]
    )
  })
})

/** A server of Node that has Slipway as its listener. Answers its port. */
const listening = async (listener: RequestListener) => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  onTestFinished(() => void server.close().closeAllConnections())
  await once(server, "listening")
  const address = server.address()
  return { server, port: typeof address === "object" && address !== null ? address.port : 0 }
}

interface Sent {
  readonly method?: string
  readonly path: string
  readonly body?: Uint8Array
  readonly headers?: Record<string, string>
}

/** Requests of one client, one after the other on its connection. */
const clientOf = (port: number) => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  return ({ body, headers, method = "GET", path }: Sent) =>
    new Promise<{ readonly status: number | undefined; readonly text: string; readonly reused: boolean }>(
      (resolve, reject) => {
        const sent = httpRequest(
          { port, host: "127.0.0.1", agent, method, path, headers },
          (answer: IncomingMessage) => {
            let text = ""
            answer.setEncoding("utf8").on("data", (chunk) => (text += chunk))
            answer.on("end", () => resolve({ status: answer.statusCode, text, reused: sent.reusedSocket }))
          }
        )
        sent.on("error", reject).end(body)
      }
    )
}

describe("a refused body", () => {
  const refused = (bytes: number): Sent => ({
    method: "POST",
    path: "/api/v1/builds",
    body: new Uint8Array(bytes),
    headers: { authorization: "Bearer slip_wrong", "content-type": "application/json", "content-length": `${bytes}` }
  })

  it("leaves its connection usable if it is short, and ends it after the answer if it is long", async () => {
    const { port } = await listening(nodeListener(inMemory()))
    const ask = clientOf(port)
    for (let time = 0; time < 3; time++) {
      assert.strictEqual((await ask(refused(200_000))).status, 401)
      assert.deepInclude(await ask({ path: "/healthz" }), { status: 200, reused: true })
      assert.strictEqual((await ask(refused(3_000_000))).status, 401)
      assert.deepInclude(await ask({ path: "/healthz" }), { status: 200, reused: false })
    }
  })

  it("of a Fetch request ends its connection if it is long or of unknown length", async () => {
    const slipway = inMemory()
    const connection = async (headers: Record<string, string>) => {
      const { body, method, path } = refused(1)
      const request = new Request(url + path, { method: method ?? "", body: Buffer.from(body ?? ""), headers })
      return (await slipway.fetch(request)).headers.get("connection")
    }
    assert.isNull(await connection({ "content-length": "200000" }))
    assert.strictEqual(await connection({ "content-length": "400000" }), "close")
    assert.strictEqual(await connection({}), "close")
  })

  it("that other code parsed to bytes is answered with the reason, except an empty one", async () => {
    const listener = nodeListener(inMemory())
    const { port } = await listening((request, response) => {
      // As `express.raw({ type: "*/*" })` does.
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => listener(Object.assign(request, { body: Buffer.concat(chunks) }), response))
    })
    const ask = clientOf(port)
    const { status, text } = await ask(refused(10))
    assert.deepStrictEqual({ status, hint: text.includes("mount Slipway before it") }, { status: 500, hint: true })
    assert.strictEqual((await ask(refused(0))).status, 401)
  })

  it("of a Fetch request that other code read is answered with the reason", async () => {
    const request = new Request(`${url}/api/v1/builds`, { method: "POST", body: "{}" })
    await request.text()
    const answer = await inMemory().fetch(request)
    assert.strictEqual(answer.status, 500)
    assert.include(await answer.text(), "mount Slipway before it")
  })
})

describe("tasks", () => {
  it("run only when they are called, without the background", async () => {
    const heard: Array<string> = []
    const swept: Array<string> = []
    const watched = Layer.effect(
      SweepStore,
      Effect.map(SweepStore, (store) =>
        SweepStore.of({
          ...store,
          saveCheckpoint: (checkpoint) => {
            if (checkpoint.doneAt !== undefined) swept.push(checkpoint.job)
            return store.saveCheckpoint(checkpoint)
          }
        })
      )
    )
    const slipway = inMemory({
      ports: Layer.provideMerge(watched, memory.engines({ url, secret }).ports),
      background: false,
      events: async ({ type }) => void heard.push(type)
    })
    await slipway.run(createAccount)
    const grant = { account: "acme", name: "ci", scopes: ["builds"] } as const
    await slipway.run(Administration.use((admin) => admin.createKey(grant)))
    assert.isEmpty([...heard, ...swept])
    assert.isTrue(await slipway.tasks.runOnce({ budget: "1 minute" }))
    assert.deepStrictEqual(heard, ["key.created"])
    assert.includeMembers(swept, ["expire_reservations", "collect_garbage"])
  })

  it("stop at their budget, and the next call continues", async () => {
    const begun: Array<string> = []
    const slipway = inMemory({
      background: false,
      events: ({ id }) => {
        begun.push(id)
        return begun.length === 1 ? new Promise(() => undefined) : Promise.resolve()
      }
    })
    await slipway.run(createAccount)
    const grant = { account: "acme", name: "ci", scopes: ["builds"] } as const
    await slipway.run(Administration.use((admin) => admin.createKey(grant)))
    assert.isFalse(await slipway.tasks.runOnce({ budget: "50 millis" }))
    assert.isTrue(await slipway.tasks.runOnce({ budget: "1 minute" }))
    assert.deepStrictEqual([begun.length, new Set(begun).size], [2, 1])
  })
})

describe("dispose", () => {
  it("answers requests in flight, and refuses new ones meanwhile", async () => {
    const asked = Promise.withResolvers<void>()
    const answer = Promise.withResolvers<undefined>()
    const slipway = inMemory({
      authenticate: () => {
        asked.resolve()
        return answer.promise
      }
    })
    const inFlight = slipway.fetch(new Request(`${url}/api/v1/usage`))
    await asked.promise
    const disposed = slipway.dispose()
    assert.strictEqual((await health(slipway)).status, 503)
    answer.resolve(undefined)
    assert.strictEqual((await inFlight).status, 401)
    await disposed
  })

  it("interrupts requests in flight after 20 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => void vi.useRealTimers())
    const asked = Promise.withResolvers<void>()
    const slipway = inMemory({
      background: false,
      authenticate: () => {
        asked.resolve()
        return new Promise(() => undefined)
      }
    })
    let status = 0
    const answered = slipway.fetch(new Request(`${url}/api/v1/usage`)).then((answer) => (status = answer.status))
    await asked.promise
    const disposed = slipway.dispose()
    await vi.advanceTimersByTimeAsync(19_999)
    assert.strictEqual(status, 0)
    await vi.advanceTimersByTimeAsync(1)
    await Promise.all([answered, disposed])
    assert.strictEqual(status, 503)
  })

  it("ends a request whose body stalls at its time limit", async () => {
    const slipway = inMemory({ shutdownTimeout: "100 millis" })
    const listener = nodeListener(slipway)
    const arrived = Promise.withResolvers<void>()
    const { port } = await listening((request, response) => {
      listener(request, response)
      arrived.resolve()
    })
    await slipway.run(createAccount)
    const grant = { account: "acme", name: "ci", scopes: ["builds"] } as const
    const { key } = await slipway.run(Administration.use((admin) => admin.createKey(grant)))
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", "content-length": "1000" }
    const stalled = httpRequest({ port, host: "127.0.0.1", method: "POST", path: "/api/v1/builds", headers })
    const answered = once(stalled, "response")
    stalled.write("{")
    await arrived.promise
    await slipway.dispose()
    const [answer] = await answered
    assert.strictEqual(answer.statusCode, 503)
  })
})
