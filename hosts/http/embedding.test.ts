/** Runs examples/node, and what docs/embedding.md says about durable data, with their imports replaced by the sources. */
import { Redacted, Context, Effect, Layer, DateTime } from "effect"
import { assert, it, onTestFinished, describe } from "vitest"
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { freePort } from "../../adapters/postgres/testing/freePort.ts"
import { programOf, snippetsOf } from "../../.config/testing/snippets.ts"
import * as memory from "../../adapters/memory/index.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { layerHealth, makeSlipway } from "./index.ts"
import { ClaimId, Outbox } from "../../core/ports/Outbox.ts"
import type { ReceiveEvent } from "./events.ts"
import { doEverything } from "./testing/everyEvent.ts"

const root = join(import.meta.dirname, "..", "..")

const example = readFileSync(join(root, "examples/node/server.ts"), "utf8")

const program = (text: string) => {
  const made = programOf(text)
  onTestFinished(made.remove)
  return made
}

it("what keeps data in the docs runs at each start", async () => {
  const snippets = snippetsOf("docs/embedding.md")
  const { text } = snippets.find(({ language, text }) => language === "ts" && text.includes("embedded.engines("))!
  const { file, folder } = program(`${text}\nawait slipway.dispose()`)
  const env = { ...process.env, SLIPWAY_SECRET: Buffer.alloc(32, 1).toString("base64") }
  const start = () => spawnSync(process.execPath, [file], { cwd: folder, env, encoding: "utf8" })
  const first = start()
  assert.match(first.stdout, /^slip_\w+\n$/, first.stderr)
  const second = start()
  assert.deepStrictEqual([second.stdout, second.status], ["", 0], second.stderr)
})

it("the embedding example serves the API beside another route", async () => {
  const child = spawn(process.execPath, [program(example).file], {
    env: { ...process.env, PORT: String(await freePort()) },
    stdio: ["ignore", "pipe", "inherit"]
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const lines = createInterface({ input: child.stdout })
  const [line] = await Promise.race([once(lines, "line"), once(child, "close")])
  const [docs = "", key = ""] = String(line).split(" ")
  const url = docs.replace(/\/docs$/, "")
  assert.strictEqual(await (await fetch(`${url}/hello`)).text(), "Hello from the same server\n")
  const reference = await fetch(docs)
  assert.deepStrictEqual([reference.status, reference.headers.get("content-type")], [200, "text/html; charset=utf-8"])
  assert.include(await reference.text(), "/api/v1/builds")

  const bundle = "console.log('embedded')"
  const post = async (body: unknown) => {
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
    const response = await fetch(`${url}/api/v1/builds`, { method: "POST", headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as unknown }
  }
  const reserved = await post({
    owner: "acme",
    repo: "app",
    branch: "main",
    platform: "ios",
    commitSha: "a".repeat(40),
    contentHash: Buffer.from(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(bundle))).toString("hex"),
    bundleSizeBytes: bundle.length,
    bundleContentType: "text/javascript"
  })
  assert.strictEqual(reserved.status, 201)
  const slot = Reflect.get(Reflect.get(Object(reserved.body), "slots"), "bundle")
  const put = await fetch(slot.putUrl, { method: "PUT", body: bundle, headers: { "content-type": slot.contentType } })
  assert.strictEqual(put.status, 200)
  const finalized = await post({ operation: "finalize", token: Reflect.get(Object(reserved.body), "token") })
  assert.strictEqual(finalized.status, 201)
  assert.strictEqual(Reflect.get(Object(finalized.body), "status"), "ready")
})

it.each([
  ["frameAncestors", ["https://team.example", "*"]],
  ["siteName", "Acme\n"],
  ["siteLogo", new TextEncoder().encode("<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")]
])("makeSlipway refuses an unusable %s by its name", (name, value) => {
  const url = "http://127.0.0.1:3000"
  const { ports } = memory.engines({ url, secret: Redacted.make("signs URLs") })
  assert.throws(() => makeSlipway({ settings: { url, [name]: value }, ports }), `${name} must `)
})

// The health routes of an embedded Slipway.

const url = "http://slipway.example"

it("an embedded host is alive and ready, and alive but not ready while its object store can't be reached", async () => {
  let away = false
  const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  const objects = Layer.effect(
    ObjectStore,
    Effect.map(Layer.build(engines.ports), (context) => {
      const store = Context.get(context, ObjectStore)
      return { ...store, check: Effect.suspend(() => (away ? Effect.fail(Unavailable.default) : store.check)) }
    })
  )
  const slipway = makeSlipway({
    settings: { url },
    ports: Layer.merge(engines.ports, objects),
    routes: Layer.merge(engines.routes, layerHealth)
  })
  onTestFinished(() => slipway.dispose())
  const get = async (path: string) => {
    const answer = await slipway.fetch(new Request(url + path))
    const body: unknown = await answer.json()
    return { status: answer.status, body, retryAfter: answer.headers.get("retry-after") }
  }
  assert.deepStrictEqual(await get("/healthz"), { status: 200, body: { status: "ok" }, retryAfter: null })
  assert.deepStrictEqual(await get("/readyz"), { status: 200, body: { status: "ready" }, retryAfter: null })
  away = true
  assert.deepInclude(await get("/readyz"), { status: 503, retryAfter: "5" })
  assert.deepInclude(await get("/healthz"), { status: 200 })
})

// Events as an embedder sees them: the arguments of the function in `makeSlipway({ events })`.

const eventsUrl = "http://127.0.0.1:1"

const slipwayTelling = (events?: ReceiveEvent) => {
  const { ports, routes } = memory.engines({ url: eventsUrl, secret: Redacted.make("signs upload URLs") })
  const slipway = makeSlipway({ settings: { url: eventsUrl }, ports, routes, events })
  onTestFinished(() => slipway.dispose())
  return slipway
}

describe("a function that receives events", () => {
  it("receives every event as JSON, in the order of each resource", async () => {
    const heard: Array<Parameters<ReceiveEvent>[0]> = []
    const all = Promise.withResolvers<void>()
    const slipway = slipwayTelling(async (event) => {
      heard.push(event)
      if (heard.length === 8) all.resolve()
    })
    const done = await doEverything(slipway, eventsUrl)
    await all.promise
    const of = (type: string): unknown => {
      const [event] = heard.filter((one) => one.type === type)
      if (event === undefined) return assert.fail(`no ${type}`)
      assert.strictEqual(event.account, done.account)
      assert.match(event.timestamp, /^20\d\d-\d\d-\d\dT[\d:.]+Z$/)
      assert.match(event.id, /^[\da-f-]{36}$/)
      return event.data
    }
    const owner = Reflect.get(Object(of("build.ready")), "owner")
    const git = { owner, repo: "app", branch: "main", commitSha: Reflect.get(Object(of("build.ready")), "commitSha") }
    assert.deepStrictEqual(of("build.ready"), { id: done.build, ...git, platform: "ios" })
    assert.deepStrictEqual(of("preview.hosted"), { id: done.preview, git })
    assert.deepStrictEqual(of("run.registered"), {
      id: done.run,
      ...git,
      kind: "maestro",
      name: "Checkout",
      pr: 7,
      previewShareId: done.preview,
      status: "failed"
    })
    const { id, ...broken } = Object(of("test.broken"))
    assert.match(id, /^[\da-f]{32}$/)
    assert.deepStrictEqual(broken, { ...git, kind: "maestro", name: "Checkout", runId: done.run, pr: 7 })
    const share = { id: done.share, shared: { preview: done.preview } }
    const { expiresAt, ...made } = Object(of("share.created"))
    assert.deepStrictEqual(made, share)
    assert.deepStrictEqual(of("share.revoked"), { ...share, expiresAt })
    const key = { id: done.key, name: "ci", scopes: ["builds", "preview_upload", "test_runs"] }
    assert.deepStrictEqual(of("key.created"), key)
    assert.deepStrictEqual(of("key.revoked"), key)
    const types = heard.map(({ type }) => type)
    assert.isBelow(types.indexOf("key.created"), types.indexOf("key.revoked"))
    assert.isBelow(types.indexOf("share.created"), types.indexOf("share.revoked"))
  })

  it("is called again with an event that it rejected", async () => {
    const calls: Array<string> = []
    const taken = Promise.withResolvers<void>()
    const slipway = slipwayTelling(async ({ id }) => {
      calls.push(id)
      if (calls.length === 1) throw new Error("not now")
      if (calls.filter((one) => one === calls[0]).length === 2) taken.resolve()
    })
    await doEverything(slipway, eventsUrl)
    await taken.promise
  })

  it("is missing: no event is kept for it", async () => {
    const { ports, routes } = memory.engines({ url: eventsUrl, secret: Redacted.make("signs upload URLs") })
    let outbox: Outbox["Service"] | undefined
    const watched = Layer.tap(ports, (context) => Effect.sync(() => (outbox = Context.get(context, Outbox))))
    const slipway = makeSlipway({ settings: { url: eventsUrl }, ports: watched, routes })
    onTestFinished(() => slipway.dispose())
    await doEverything(slipway, eventsUrl)
    const farOff = DateTime.makeUnsafe("2999-01-01T00:00:00Z")
    const claim = { claim: ClaimId.make("any"), now: farOff, until: farOff, limit: 100 }
    assert.isDefined(outbox)
    if (outbox !== undefined) assert.deepStrictEqual(await Effect.runPromise(outbox.claim(claim)), [])
  })
})
