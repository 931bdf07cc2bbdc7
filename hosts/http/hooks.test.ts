/** The hooks of an embedder, on uploads by the client. */
import { Effect, Redacted } from "effect"
import { assert, it, onTestFinished } from "vitest"
import * as memory from "../../adapters/memory/index.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Previews } from "../../core/service/Previews.ts"
import { createClient, type SlipwayError } from "../client/browser.ts"
import type { BeforeReserveHook, OnProblem } from "./hooks.ts"
import { makeSlipway } from "./slipway.ts"

const url = "http://127.0.0.1:1"

const hooked = async (hooks: { readonly beforeReserve?: BeforeReserveHook; readonly onProblem?: OnProblem }) => {
  const { ports, routes } = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  const slipway = makeSlipway({ settings: { url }, ports, routes, ...hooks })
  onTestFinished(() => slipway.dispose())
  await slipway.run(Administration.use((admin) => admin.createAccount({ name: "acme" })))
  await slipway.run(
    Administration.use((admin) => admin.linkRepository({ account: "acme", owner: "acme", repo: "app" }))
  )
  const grant = { account: "acme", name: "ci", scopes: ["builds", "preview_upload"] } as const
  const { key, record } = await slipway.run(Administration.use((admin) => admin.createKey(grant)))
  const fetch: typeof globalThis.fetch = (input, init) => slipway.fetch(new Request(input, init))
  return { client: createClient({ url, key, fetch, retries: 0 }), keyId: record.id, slipway }
}

const bundle = { body: new TextEncoder().encode("app()"), contentType: "text/javascript" }
const build = {
  owner: "acme",
  repo: "app",
  branch: "main",
  platform: "ios",
  commitSha: "a".repeat(40),
  bundle
} as const
const refusal = (call: Promise<unknown>) => call.catch((error: unknown) => String(error))

it("beforeReserve refuses builds and previews with its text, and reserves what it accepts", async () => {
  const asked: Array<unknown> = []
  const { client, keyId } = await hooked({
    beforeReserve: async (caller, reservation) => {
      asked.push([caller, reservation.kind])
      return reservation.declaration.bundleSizeBytes > 5 ? "Bundles may have 5 bytes." : undefined
    }
  })
  assert.strictEqual((await client.builds.upload(build)).status, "ready")
  const larger = { ...bundle, body: new TextEncoder().encode("larger()") }
  assert.include(await refusal(client.builds.upload({ ...build, bundle: larger })), "Bundles may have 5 bytes.")
  assert.include(await refusal(client.previews.upload({ bundle: larger })), "Bundles may have 5 bytes.")
  const caller = { account: "acme", keyId, scopes: ["builds", "preview_upload"] }
  assert.deepStrictEqual(asked, [
    [caller, "build"],
    [caller, "build"],
    [caller, "preview"]
  ])
})

it("beforeReserve sets details of CI, which an Idempotency-Key doesn't compare", async () => {
  let job = 0
  const { client } = await hooked({ beforeReserve: () => ({ set: { job: `deploy ${(job += 1)}` } }) })
  const ready = await client.builds.upload({ ...build, job: "test", author: "Ann" })
  assert.deepInclude(ready, { job: "deploy 1", author: "Ann" })
  const declared = { contentHash: "b".repeat(64), bundleSizeBytes: 5, bundleContentType: "text/javascript" }
  const options = { idempotencyKey: "once" }
  const first = await client.previews.reserve(declared, options)
  assert.strictEqual((await client.previews.reserve(declared, options)).token, first.token)
  const { git } = await client.previews.upload({ bundle })
  assert.strictEqual(git.job, "deploy 4")
})

it("beforeReserve runs for reservations of slipway.run", async () => {
  const { slipway } = await hooked({
    beforeReserve: ({ account, scopes }, { kind }) => `${account} has no room for a ${kind}, with ${scopes.join()}.`
  })
  const reserve = Effect.gen(function* () {
    const authorization = yield* Authorization
    const caller = yield* authorization.admitExternal({ account: "acme", scopes: ["preview_upload"] })
    return yield* (yield* Previews).reserve(caller, {
      contentHash: "b".repeat(64),
      bundleSizeBytes: 5,
      bundleContentType: "text/javascript",
      isTransformed: false,
      files: [],
      recordings: [],
      git: {}
    })
  })
  assert.include(await refusal(slipway.run(reserve)), "acme has no room for a preview, with preview_upload.")
})

it.each([{ job: "a".repeat(2000) }, { branch: "main" }])("beforeReserve that sets %o reserves nothing", async (set) => {
  const { client } = await hooked({ beforeReserve: () => ({ set }) })
  assert.include(await refusal(client.builds.upload(build)), "unavailable")
})

it("beforeReserve that fails reserves nothing", async () => {
  const { client } = await hooked({
    beforeReserve: () => Promise.reject(new Error("out of reach"))
  })
  assert.include(await refusal(client.builds.upload(build)), "unavailable")
})

it("onProblem observes each refusal, and its own failure changes no answer", async () => {
  const seen: Array<unknown> = []
  const { client } = await hooked({
    onProblem: ({ code, requestId, status }) => {
      seen.push({ code, status, hasId: requestId !== "" })
      throw new Error("out of reach")
    }
  })
  assert.include(await refusal(client.previews.read("missing")), "not_found")
  assert.deepStrictEqual(seen, [{ code: "not_found", status: 404, hasId: true }])
})

it("onProblem replaces the text of a refusal, and neither its status nor its code", async () => {
  const { client } = await hooked({
    onProblem: async () => ({ detail: "Ask #mobile for help.", status: 200, code: "fine" })
  })
  const { code, detail, status } = await client.previews.read("missing").then(
    () => assert.fail("it was found"),
    (error: SlipwayError) => error
  )
  assert.deepStrictEqual({ code, detail, status }, { code: "not_found", detail: "Ask #mobile for help.", status: 404 })
})
