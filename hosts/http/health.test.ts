/** The health routes of an embedded Slipway. */
import { Context, Effect, Layer, Redacted } from "effect"
import { assert, it, onTestFinished } from "vitest"
import * as memory from "../../adapters/memory/index.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { layerHealth, makeSlipway } from "./index.ts"

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
