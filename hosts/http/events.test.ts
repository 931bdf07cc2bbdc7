/** Events as an embedder sees them: the arguments of the function in `makeSlipway({ events })`. */
import { Context, DateTime, Effect, Layer, Redacted } from "effect"
import { assert, describe, it, onTestFinished } from "vitest"
import * as memory from "../../adapters/memory/index.ts"
import { ClaimId, Outbox } from "../../core/ports/Outbox.ts"
import type { ReceiveEvent } from "./events.ts"
import { makeSlipway } from "./slipway.ts"
import { doEverything } from "./testing/everyEvent.ts"

const url = "http://127.0.0.1:1"

const slipwayTelling = (events?: ReceiveEvent) => {
  const { ports, routes } = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  const slipway = makeSlipway({ settings: { url }, ports, routes, events })
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
    const done = await doEverything(slipway, url)
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
    await doEverything(slipway, url)
    await taken.promise
  })

  it("is missing: no event is kept for it", async () => {
    const { ports, routes } = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
    let outbox: Outbox["Service"] | undefined
    const watched = Layer.tap(ports, (context) => Effect.sync(() => (outbox = Context.get(context, Outbox))))
    const slipway = makeSlipway({ settings: { url }, ports: watched, routes })
    onTestFinished(() => slipway.dispose())
    await doEverything(slipway, url)
    const farOff = DateTime.makeUnsafe("2999-01-01T00:00:00Z")
    const claim = { claim: ClaimId.make("any"), now: farOff, until: farOff, limit: 100 }
    assert.isDefined(outbox)
    if (outbox !== undefined) assert.deepStrictEqual(await Effect.runPromise(outbox.claim(claim)), [])
  })
})
