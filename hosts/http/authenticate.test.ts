/**
 * The caller by an embedder's own means: its account, its scopes, and the end of its access. @see docs/interface.md#5
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted } from "effect"
import { onTestFinished } from "vitest"
import * as memory from "../../adapters/memory/index.ts"
import { Unavailable } from "../../core/model/Problem.ts"
import { KeyStore } from "../../core/ports/KeyStore.ts"
import { Administration } from "../../core/service/Administration.ts"
import type { Authenticate } from "./authenticate.ts"
import { makeSlipway } from "./slipway.ts"
import { asProblem, asReservation, bundle, reserveBody } from "./testing/uploads.ts"

const url = "http://slipway.example"
const repository = { owner: "acme", repo: "app" }
const everything = ["builds", "preview_upload", "test_runs"]

/** Slipway on memory with this function, an account `acme` with a repository and a key, and what was logged. */
const embedded = async (
  authenticate: Authenticate,
  changed: Layer.Layer<never> | Layer.Layer<KeyStore> = Layer.empty
) => {
  const logged: Array<string> = []
  const engines = memory.engines({ url, secret: Redacted.make("test secret") })
  const logger = Logger.layer([Logger.make(({ cause, message }) => void logged.push(String(message) + String(cause)))])
  const slipway = makeSlipway({
    settings: { url },
    ports: Layer.mergeAll(engines.ports, changed, logger),
    routes: engines.routes,
    authenticate
  })
  onTestFinished(() => slipway.dispose())
  const { key, record } = await slipway.run(
    Administration.use(
      Effect.fnUntraced(function* (admin) {
        yield* admin.createAccount({ name: "acme" })
        yield* admin.linkRepository({ account: "acme", ...repository })
        return yield* admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] })
      })
    )
  )
  const send = (method: string, path: string, headers: Record<string, string> = {}, body?: unknown) =>
    slipway.fetch(
      new Request(url + path, {
        method,
        headers: { "content-type": "application/json", ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
  const reserve = (headers: Record<string, string>) =>
    send("POST", "/api/v1/builds", headers, reserveBody({ key, ...repository }))
  const finalize = (headers: Record<string, string>, token: string) =>
    send("POST", "/api/v1/builds", headers, { operation: "finalize", token })
  const put = (slot: { readonly putUrl: string; readonly contentType: string }) =>
    slipway.fetch(
      new Request(slot.putUrl, { method: "PUT", headers: { "content-type": slot.contentType }, body: bundle })
    )
  return { slipway, logged, key, keyId: record.id, send, reserve, finalize, put }
}

const reservationIn = async (answer: Response) => {
  assert.strictEqual(answer.status, 201)
  return Effect.runPromise(asReservation(await answer.json()))
}

const problemIn = async (answer: Response) => Effect.runPromise(asProblem(await answer.json()))

/** A badge of this name identifies the account, until the badge is revoked. */
const badges = (scopes: ReadonlyArray<string> = everything) => {
  const valid = new Set(["ada"])
  const authenticate: Authenticate = (request) =>
    valid.has(request.headers.get("badge") ?? "") ? { account: "acme", scopes } : undefined
  return { valid, authenticate }
}

const ada = { badge: "ada" }

describe("an embedder's authenticate", () => {
  it("identifies the caller: the whole flow without a key", async () => {
    const { finalize, put, reserve } = await embedded(badges().authenticate)
    const { slots, token } = await reservationIn(await reserve(ada))
    assert.strictEqual((await put(slots.bundle)).status, 200)
    const finalized = await finalize(ada, token)
    assert.strictEqual(finalized.status, 201)
    assert.strictEqual(Reflect.get(Object(await finalized.json()), "status"), "ready")
  })

  it("replaces API keys unless it asks for them", async () => {
    const { key, send } = await embedded(badges().authenticate)
    const answer = await send("GET", "/api/v1/builds/x", { authorization: `Bearer ${key}` })
    assert.strictEqual(answer.status, 401)
    assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
    const { code, detail } = await problemIn(answer)
    assert.strictEqual(code, "unauthorized")
    assert.notInclude(detail, "slip_")
  })

  it("stands beside API keys where it asks for them, and a key then ends what it opened", async () => {
    const { authenticate } = badges()
    const { key, keyId, put, reserve, send, slipway } = await embedded(
      async (request, byKey) => (await authenticate(request, byKey)) ?? byKey()
    )
    const withKey = { authorization: `Bearer ${key}` }
    assert.strictEqual((await send("GET", "/api/v1/builds/x", ada)).status, 404)
    const { slots } = await reservationIn(await reserve(withKey))
    await slipway.run(Administration.use((admin) => admin.revokeKey({ id: keyId })))
    assert.strictEqual((await put(slots.bundle)).status, 403)
    const refused = await send("GET", "/api/v1/builds/x", withKey)
    assert.strictEqual(refused.status, 401)
    assert.include((await problemIn(refused)).detail, "valid API key")
  })

  it("demands scopes as of a key, and ignores scopes that are none of Slipway's", async () => {
    const { reserve, send } = await embedded(badges(["openid", "test_runs"]).authenticate)
    const refused = await reserve(ada)
    assert.strictEqual(refused.status, 403)
    const problem = await problemIn(refused)
    assert.deepStrictEqual(problem._tag === "InsufficientScope" && problem.requiredScopes, ["builds"])
    assert.strictEqual((await send("GET", "/api/v1/test-runs?org=acme&repo=app", ada)).status, 200)
    const none = await embedded(badges([]).authenticate)
    assert.strictEqual((await none.send("GET", "/api/v1/test-runs?org=acme&repo=app", ada)).status, 403)
  })

  it("is called for each request, so a revoked caller is refused at the next one and hosts nothing more", async () => {
    const { authenticate, valid } = badges()
    const { finalize, put, reserve, send } = await embedded(authenticate)
    const { slots, token, id } = await reservationIn(await reserve(ada))
    valid.clear()
    assert.strictEqual((await send("GET", `/api/v1/builds/${id}`, ada)).status, 401)
    assert.strictEqual((await put(slots.bundle)).status, 200)
    assert.strictEqual((await finalize(ada, token)).status, 401)
    valid.add("ada")
    const status = async () =>
      Reflect.get(Object(await (await send("GET", `/api/v1/builds/${id}`, ada)).json()), "status")
    assert.strictEqual(await status(), "uploading")
    assert.strictEqual((await finalize(ada, token)).status, 201)
    assert.strictEqual((await put(slots.bundle)).status, 403)
  })

  it("gets the very request that was given to fetch", async () => {
    const seen: Array<Request> = []
    const { slipway } = await embedded((request) => void seen.push(request))
    const request = new Request(`${url}/api/v1/builds/x`)
    assert.strictEqual((await slipway.fetch(request)).status, 401)
    assert.lengthOf(seen, 1)
    assert.strictEqual(seen[0], request)
  })

  it("names an account that isn't there: 401 that says what to do", async () => {
    const { send } = await embedded(() => ({ account: "nobody", scopes: everything }))
    const answer = await send("GET", "/api/v1/builds/x")
    assert.strictEqual(answer.status, 401)
    assert.strictEqual(
      (await problemIn(answer)).detail,
      "There is no account named nobody; it has to be created first."
    )
  })

  for (const [how, broken] of [
    [
      "throws",
      () => {
        throw new Error("postgres://user:secret@db")
      }
    ],
    ["rejects", () => Promise.reject(new Error("postgres://user:secret@db"))],
    ["answers something else", () => JSON.parse('{"account":7,"scopes":"postgres://user:secret@db"}')],
    ["answers a yes", () => JSON.parse("true")]
  ] satisfies ReadonlyArray<readonly [string, Authenticate]>) {
    it(`that ${how} admits no request: 503, and only the log has the cause`, async () => {
      const { logged, send } = await embedded(broken)
      const answer = await send("GET", "/api/v1/builds/x")
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers.get("retry-after"), "5")
      const text = await answer.text()
      assert.include(text, '"unavailable"')
      assert.notInclude(text, "secret")
      assert.isTrue(
        logged.some((line) => line.includes("authenticate")),
        logged.join()
      )
    })
  }

  it("answers 503 when the keys that it asks for can't be reached", async () => {
    const failing = Layer.effect(
      KeyStore,
      Effect.map(KeyStore, (store) => KeyStore.of({ ...store, findByHash: () => Effect.fail(Unavailable.default) }))
    ).pipe(Layer.provide(memory.layerMetadata))
    const { key, send } = await embedded((_, byKey) => byKey(), failing)
    assert.strictEqual((await send("GET", "/api/v1/builds/x", { authorization: `Bearer ${key}` })).status, 503)
  })
})
