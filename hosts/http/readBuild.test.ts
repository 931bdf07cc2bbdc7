/** A build that is read the usual way is answered before the router, with what the router answers. */
import { assert } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { assert as check, it as test, onTestFinished } from "vitest"
import * as memory from "../../adapters/memory/index.ts"
import { BuildStore } from "../../core/ports/BuildStore.ts"
import { Administration } from "../../core/service/administration/Administration.ts"
import { makeSlipway } from "./slipway.ts"
import { inMemory } from "./testing/engines.ts"
import { call, newAccount, TestHost } from "./testing/TestHost.ts"
import { layer } from "./testing/layer.ts"
import { declaredFiles, readyBuild, reserve } from "./testing/uploads.ts"

/** A request with this header goes through the router. */
const unusual = { accept: "application/json, text/html" }

layer(TestHost.layer(inMemory))("a build read by its id", (it) => {
  it.effect("has the same headers and fields as through the router", function* () {
    const { url } = yield* TestHost
    const account = yield* newAccount()
    const ready = (yield* readyBuild(account, { deviceSpec: { width: 390.5, height: 844 } })).reservation
    const uploading = yield* reserve(account, {
      files: declaredFiles,
      branch: "ä/🙂",
      bundleOrigin: "http://localhost:8081",
      entry: "index.ts"
    })
    for (const { id } of [ready, uploading]) {
      const ask = (headers: Record<string, string>) =>
        call("GET", `${url}/api/v1/builds/${id}`, {
          key: account.key,
          headers: { "x-request-id": "the-same-for-both", ...headers }
        })
      const [direct, routed] = [yield* ask({}), yield* ask(unusual)]
      assert.strictEqual(direct.status, 200)
      assert.deepStrictEqual(direct.json, routed.json)
      const headersOf = ({ headers }: typeof direct) => [...headers].filter(([name]) => name !== "date")
      assert.sameDeepMembers(headersOf(direct), headersOf(routed))
    }
  })
})

test("the key and the build are read together, and a revoked key is refused at the next request", async () => {
  const url = "http://slipway.example"
  const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  let reads = 0
  const counted = Layer.effect(
    BuildStore,
    Effect.map(BuildStore, (store) => ({
      ...store,
      findByIdWithKey: (keyHash, id) => {
        reads += 1
        return store.findByIdWithKey(keyHash, id)
      },
      findById: () => Effect.die("the build is read a second time")
    }))
  )
  const slipway = makeSlipway({
    settings: { url },
    ports: Layer.merge(engines.ports, counted.pipe(Layer.provide(engines.ports))),
    routes: engines.routes
  })
  onTestFinished(() => slipway.dispose())
  const { key, record } = await slipway.run(
    Administration.use((admin) =>
      Effect.andThen(
        Effect.all([
          admin.createAccount({ name: "acme" }),
          admin.linkRepository({ account: "acme", owner: "acme", repo: "app" })
        ]),
        admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] })
      )
    )
  )
  const ask = (path: string, init: RequestInit = {}) =>
    slipway.fetch(
      new Request(`${url}/api/v1/builds${path}`, {
        ...init,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" }
      })
    )
  const body = JSON.stringify({
    owner: "acme",
    repo: "app",
    branch: "main",
    platform: "ios",
    commitSha: "a".repeat(40),
    contentHash: "b".repeat(64),
    bundleSizeBytes: 5,
    bundleContentType: "text/javascript"
  })
  const { id } = await (await ask("", { method: "POST", body })).json()
  check.strictEqual((await ask(`/${id}`)).status, 200)
  check.strictEqual(reads, 1)
  await slipway.run(Administration.use((admin) => admin.revokeKey({ id: record.id })))
  check.strictEqual((await ask(`/${id}`)).status, 401)
})
