/** Sessions of two hosts on one store, and when a store is out of reach. */
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { layer } from "../../../core/testing/layer.ts"
import * as memory from "../../../adapters/memory/index.ts"
import { Unavailable } from "../../../core/model/Problem.ts"
import { SessionStore } from "../../../core/ports/SessionStore.ts"
import { Administration } from "../../../core/service/Administration.ts"
import { makeSlipway } from "../../http/slipway.ts"
import { inMemory } from "../../http/testing/engines.ts"
import { newAccount, TestHost } from "../../http/testing/TestHost.ts"
import { layer as layerViewer } from "../index.ts"
import { isSignedIn, ownId, signIn, visit } from "../testing/visit.ts"
import { KeyStore } from "../../../core/ports/KeyStore.ts"
import { makeKey } from "../../../core/rules/credentials.ts"

const account = newAccount(["builds", "preview_upload"])

const linux = "Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0"

/** Another host on the same metadata. */
class OtherHost extends Context.Service<OtherHost, TestHost["Service"]>()("slipway/hosts/viewer/test/OtherHost") {}

/** Two hosts on one store of metadata. */
const twoHosts = Layer.flatMap(memory.layerMetadata, (metadata) => {
  const host = TestHost.layer({
    ...inMemory,
    ports: Layer.merge(Layer.succeedContext(metadata), memory.layerObjects)
  })
  return Layer.merge(host, Layer.fresh(Layer.effect(OtherHost, TestHost).pipe(Layer.provide(host))))
})

layer(twoHosts)("sessions of two hosts on one store", (it) => {
  it.effect(
    "a session that begins at one is known at the other, and is over at both wherever it is ended",
    function* () {
      const here = yield* TestHost
      const there = yield* OtherHost
      assert.notStrictEqual(here.url, there.url)
      const elsewhere = Effect.provideService(TestHost, there)
      const { key, keyId } = yield* account
      const [signedOut, ended, ...rest] = yield* Effect.forEach(Array.from({ length: 4 }), () => signIn(key))
      if (signedOut === undefined || ended === undefined) return assert.fail("four were signed in")
      const id = yield* ownId(ended)
      for (const cookie of [signedOut, ended, ...rest]) assert.isTrue(yield* elsewhere(isSignedIn(cookie)))
      const isOver = Effect.fnUntraced(function* (cookie: string) {
        assert.isFalse(yield* isSignedIn(cookie))
        assert.isFalse(yield* elsewhere(isSignedIn(cookie)))
      })
      yield* visit("POST", "/sign-out", { cookie: signedOut })
      yield* isOver(signedOut)
      yield* elsewhere(visit("POST", `/sessions/${id}/end`, { cookie: rest[0] }))
      yield* isOver(ended)
      for (const cookie of rest) assert.isTrue(yield* isSignedIn(cookie))
      yield* elsewhere(visit("POST", "/sign-out-everywhere", { cookie: rest[0] }))
      for (const cookie of rest) yield* isOver(cookie)
      const last = yield* elsewhere(signIn(key))
      assert.isTrue(yield* isSignedIn(last))
      yield* here.admin.revokeKey({ id: keyId })
      yield* isOver(last)
    }
  )

  it.effect("streams of events at both hosts end with the session or the key", function* () {
    const here = yield* TestHost
    const there = yield* OtherHost
    const { key, keyId } = yield* account
    /** Opens a stream at each host, and resolves when both have ended. */
    const streams = Effect.fnUntraced(function* (cookie: string) {
      const opened = yield* Effect.forEach([here, there], ({ url }) =>
        Effect.promise(async () => {
          const { body } = await fetch(`${url}/changes`, { headers: { cookie } })
          const reader = body?.getReader() ?? assert.fail("it has no body")
          assert.isFalse((await reader.read()).done)
          return reader
        })
      )
      return Effect.promise(() =>
        Promise.all(
          opened.map(async (reader) => {
            while (!(await reader.read()).done);
          })
        )
      )
    })
    const [signedOut, ofKey] = [yield* signIn(key), yield* signIn(key)]
    const [endOfSession, endOfKey] = [yield* streams(signedOut), yield* streams(ofKey)]
    yield* visit("POST", "/sign-out", { cookie: signedOut })
    yield* endOfSession
    yield* here.admin.revokeKey({ id: keyId })
    yield* endOfKey
  })
})

/** A session store that can look up sessions but not end them. */
const unreachableSessions = Layer.effect(
  SessionStore,
  Effect.map(SessionStore, (sessions) =>
    SessionStore.of({
      ...sessions,
      removeByHash: () => Effect.fail(Unavailable.default),
      remove: () => Effect.fail(Unavailable.default),
      removeAll: () => Effect.fail(Unavailable.default)
    })
  )
)

layer(TestHost.layer({ ...inMemory, ports: Layer.provideMerge(unreachableSessions, inMemory.ports) }))(
  "when the store of sessions is out of reach",
  (it) => {
    it.effect("signing out is not confirmed, and the cookie stays for another attempt", function* () {
      const { key } = yield* account
      const cookie = yield* signIn(key)
      for (const path of ["/sign-out", "/sign-out-everywhere", `/sessions/${yield* ownId(cookie)}/end`]) {
        const answer = yield* visit("POST", path, { cookie })
        assert.strictEqual(answer.status, 503, path)
        assert.isEmpty(answer.headers.getSetCookie())
        assert.isTrue(yield* isSignedIn(cookie))
      }
    })
  }
)

layer(Layer.empty)("a plain Fetch handler", (it) => {
  it.effect("has no client address, so none is listed", function* () {
    const url = "http://slipway.example"
    const secret = Redacted.make("test secret")
    const engines = memory.engines({ url, secret })
    const slipway = yield* Effect.acquireRelease(
      Effect.sync(() =>
        makeSlipway({
          settings: { url },
          ports: engines.ports,
          routes: Layer.merge(engines.routes, layerViewer({ secret }))
        })
      ),
      (opened) => Effect.promise(() => opened.dispose())
    )
    const text = yield* Effect.promise(async () => {
      const { key } = await slipway.run(
        Administration.use((admin) =>
          Effect.andThen(
            admin.createAccount({ name: "acme" }),
            admin.createKey({ account: "acme", name: "laptop", scopes: ["builds"] })
          )
        )
      )
      const headers = { "user-agent": linux, "x-forwarded-for": "203.0.113.7" }
      const body = new URLSearchParams({ key })
      const begun = await slipway.fetch(new Request(`${url}/sign-in`, { method: "POST", headers, body }))
      const cookie = begun.headers.getSetCookie()[0]?.split(";")[0] ?? ""
      return (await slipway.fetch(new Request(`${url}/sessions`, { headers: { cookie } }))).text()
    })
    assert.include(text, "Firefox on Linux")
    assert.notInclude(text, ", from")
    assert.notInclude(text, "203.0.113.7")
  })
})

/** Keys that can't be looked up just now. */
const unreachableKeys = Layer.effect(
  KeyStore,
  Effect.map(KeyStore, (keys) =>
    KeyStore.of({
      ...keys,
      findByHash: () => Effect.fail(Unavailable.default),
      findById: () => Effect.fail(Unavailable.default)
    })
  )
)

layer(TestHost.layer({ ...inMemory, ports: Layer.provideMerge(unreachableKeys, inMemory.ports) }))(
  "the viewer when its metadata is out of reach",
  (it) => {
    it.effect("answers 503 with a page", function* () {
      const key = makeKey("a".repeat(40))
      const answer = yield* visit("POST", "/sign-in", { form: { key, to: "/" } })
      assert.strictEqual(answer.status, 503)
      assert.strictEqual(answer.headers.get("retry-after"), "5")
      assert.include(answer.text, "<h1>Temporarily unavailable")
    })
  }
)
