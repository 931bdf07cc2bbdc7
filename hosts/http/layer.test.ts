/** The service as a layer of an Effect application that has routes, errors, spans and a log of its own. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted, Schema, Tracer } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import {
  HttpApi,
  HttpApiBuilder,
  HttpApiClient,
  HttpApiEndpoint,
  HttpApiGroup,
  HttpApiMiddleware
} from "effect/http-api"
import { it } from "../../core/testing/layer.ts"
import * as memory from "../../adapters/memory/index.ts"
import { Api } from "../../core/api/Api.ts"
import { Authentication } from "../../core/api/middleware.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Authorization } from "../../core/service/Authorization.ts"
import { Builds } from "../../core/service/Builds.ts"
import { declarationOf, newContent } from "../../adapters/kit/service/world.ts"
import * as Slipway from "./slipway.ts"

const secret = "s".repeat(32)

/** A tracer that keeps every span that ended. */
const recordingTracer = (ended: Array<Tracer.NativeSpan>) =>
  Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const end = span.end.bind(span)
      span.end = (time, exit) => {
        end(time, exit)
        ended.push(span)
      }
      return span
    }
  })

const ownRoutes = Layer.mergeAll(
  HttpRouter.add("GET", "/hello", HttpServerResponse.text("hello", { headers: { "cache-control": "max-age=60" } })),
  HttpRouter.add(
    "POST",
    "/orders",
    HttpServerRequest.schemaBodyJson(Schema.Struct({ count: Schema.Int })).pipe(
      Effect.as(HttpServerResponse.empty()),
      Effect.catchTag("SchemaError", () => Effect.succeed(HttpServerResponse.text("our own error", { status: 422 })))
    )
  ),
  Layer.unwrap(
    Effect.map(Builds, ({ latest }) => HttpRouter.add("GET", "/builds", HttpServerResponse.text(typeof latest)))
  )
)

it.live("keeps the application's routes, errors and spans, and tells neither its spans nor its log a secret", () => {
  const url = "http://app.example/slipway"
  const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  const slipway = Slipway.layer({ settings: { url }, ports: engines.ports, routes: engines.routes })
  const spans: Array<Tracer.NativeSpan> = []
  const logged: Array<string> = []
  const log = Logger.make((entry) => void logged.push(Logger.formatJson.log(entry)))
  const app = HttpRouter.serve(ownRoutes.pipe(Layer.provideMerge(slipway)), { disableListenLog: true })

  return Effect.gen(function* () {
    const client = yield* HttpClient.HttpClient
    const get = (path: string, headers = {}) => client.get(path, { headers })

    const hello = yield* get("/hello")
    assert.strictEqual(yield* hello.text, "hello")
    assert.strictEqual(hello.headers["cache-control"], "max-age=60")
    assert.notProperty(hello.headers, "content-security-policy")
    assert.notProperty(hello.headers, "x-request-id")
    const order = yield* client.execute(
      HttpClientRequest.post("/orders").pipe(HttpClientRequest.bodyText("{}", "application/json"))
    )
    assert.deepStrictEqual([order.status, yield* order.text], [422, "our own error"])
    assert.strictEqual((yield* get("/nothing")).status, 404)
    assert.strictEqual(yield* (yield* get("/builds")).text, "function")

    const { key } = yield* Administration.use((admin) =>
      Effect.andThen(
        admin.ensureAccount({ name: "acme" }),
        admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] })
      )
    )
    const before = spans.length
    const refused = yield* get(`/slipway/shared/${secret}?sig=${secret}`)
    assert.deepStrictEqual([refused.status, refused.headers["cache-control"]], [404, "no-store"])
    const found = yield* get("/slipway/api/v1/builds/none", { authorization: `Bearer ${key}` })
    assert.strictEqual(found.status, 404)
    assert.include(yield* found.text, "urn:slipway:problem:not_found")
    assert.strictEqual((yield* get("/slipway/openapi.json")).status, 200)

    const roots = spans.slice(before).filter(({ kind, parent }) => kind === "server" || parent._tag === "None")
    assert.deepStrictEqual(
      roots
        .filter(({ kind }) => kind === "server")
        .map(({ attributes }) => attributes.get("http.response.status_code")),
      [404, 404, 200]
    )
    // The test's own client has spans too.
    const served = spans.filter(({ kind }) => kind !== "client")
    const written = JSON.stringify(served.map(({ attributes, name }) => [name, [...attributes]])) + logged.join("\n")
    assert.notInclude(written, secret)
    assert.notInclude(written, key)
    assert.include(written, "/slipway/api/v1/builds/none")
  }).pipe(
    Effect.provide(
      app.pipe(
        Layer.provideMerge(NodeHttpServer.layerTest),
        Layer.provideMerge(
          Layer.merge(Logger.layer([log]), Layer.succeedContext(Context.make(Tracer.Tracer, recordingTracer(spans))))
        )
      )
    )
  )
})

class Shut extends Schema.TaggedError<Shut>()("Shut", { until: Schema.String }, { httpApiStatus: 418 }) {}

const orders = HttpApiGroup.make("orders").add(
  HttpApiEndpoint.get("read", "/orders/:id", {
    params: { id: Schema.FiniteFromString },
    success: Schema.Struct({ id: Schema.Finite }),
    error: Shut
  })
)

class AppApi extends HttpApi.make("app").add(orders).addHttpApi(Api.prefix("/slipway")) {}

const Orders = HttpApiBuilder.group(AppApi, "orders", (handlers) =>
  handlers.handle("read", ({ params }) =>
    params.id === 7 ? Effect.succeed({ id: 7 }) : Effect.fail(new Shut({ until: "Monday" }))
  )
)

it.live("serves the API within the application's own HttpApi, on ports of which one is replaced", () => {
  const url = "http://app.example/slipway"
  const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  let signed = 0
  const replaced = Layer.effect(
    ObjectStore,
    Effect.map(ObjectStore, (store) => ({
      ...store,
      presignPuts: (requests: Parameters<typeof store.presignPuts>[0]) => {
        signed += requests.length
        return store.presignPuts(requests)
      }
    }))
  ).pipe(Layer.provide(engines.ports))
  const slipway = Slipway.layer({
    settings: { url },
    ports: Layer.merge(engines.ports, replaced),
    routes: engines.routes
  })
  const spans: Array<Tracer.NativeSpan> = []
  const routes = HttpApiBuilder.layer(AppApi, { openapiPath: "/our-docs.json" }).pipe(
    Layer.provide(Layer.merge(Orders, Slipway.layerHandlers(AppApi))),
    Layer.provideMerge(slipway)
  )
  return Effect.gen(function* () {
    const { key } = yield* Administration.use((admin) =>
      admin
        .createAccount({ name: "acme" })
        .pipe(
          Effect.andThen(admin.linkRepository({ account: "acme", owner: "acme", repo: "app" })),
          Effect.andThen(admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] }))
        )
    )
    const withKey = HttpApiMiddleware.layerClient(Authentication, ({ next, request }) =>
      next(HttpClientRequest.bearerToken(request, key))
    )
    const client = yield* Effect.provide(HttpApiClient.make(AppApi), withKey)
    assert.deepStrictEqual(yield* client.orders.read({ params: { id: 7 } }), { id: 7 })
    assert.deepStrictEqual(yield* Effect.flip(client.orders.read({ params: { id: 8 } })), new Shut({ until: "Monday" }))

    const before = spans.length
    const query = { owner: "acme", repo: "app", branch: "main", platform: "ios" as const }
    const refused = yield* Effect.flip(client.builds.latest({ query }))
    assert.strictEqual(refused._tag, "NotFound")
    const served = spans.slice(before).filter(({ kind }) => kind === "server")
    assert.strictEqual(served.length, 1)

    const http = yield* HttpClient.HttpClient
    const invalid = yield* http.get("/slipway/api/v1/builds", { headers: { authorization: `Bearer ${key}` } })
    assert.deepStrictEqual([invalid.status, invalid.headers["content-type"]], [400, "application/problem+json"])
    const document = yield* Effect.flatMap(http.get("/our-docs.json"), (response) => response.text)
    for (const path of ["/orders/{id}", "/slipway/api/v1/builds/{id}"])
      assert.property(JSON.parse(document).paths, path)

    const caller = yield* Authorization.use((authorization) =>
      authorization.admitExternal({ account: "acme", scopes: ["builds"] })
    )
    const declaration = declarationOf(newContent("a"))
    const identity = { branch: "main", platform: "ios" as const, commitSha: "a".repeat(40) }
    yield* Builds.use((builds) => builds.reserve(caller, { owner: "acme", repo: "app", identity, declaration }))
    assert.strictEqual(signed, 1 + declaration.files.length)
  }).pipe(
    Effect.provide(
      HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true }).pipe(
        Layer.provideMerge(NodeHttpServer.layerTest),
        Layer.provideMerge(Layer.succeedContext(Context.make(Tracer.Tracer, recordingTracer(spans))))
      )
    )
  )
})

it.effect("refuses middleware of the application on Slipway's endpoints, which would be left out", () => {
  class Locked extends HttpApiMiddleware.Service<Locked>()("app/Locked") {}
  class Closed extends HttpApi.make("closed").addHttpApi(Api.prefix("/slipway")).middleware(Locked) {}
  class Elsewhere extends HttpApi.make("elsewhere").addHttpApi(Api) {}
  const url = "http://app.example/slipway"
  const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  const slipway = Slipway.layer({ settings: { url }, ports: engines.ports })
  const refusalOf = (handlers: Layer.Layer<never, never, Layer.Success<typeof slipway>>) =>
    Effect.map(
      Effect.exit(Effect.scoped(Layer.build(handlers.pipe(Layer.provide(slipway), Layer.provide(HttpRouter.layer))))),
      String
    )
  return Effect.gen(function* () {
    assert.include(
      yield* refusalOf(Layer.effectDiscard(Effect.void).pipe(Layer.provide(Slipway.layerHandlers(Closed)))),
      "app/Locked"
    )
    assert.include(
      yield* refusalOf(Layer.effectDiscard(Effect.void).pipe(Layer.provide(Slipway.layerHandlers(Elsewhere)))),
      'Slipway.Api.prefix("/slipway")'
    )
  })
})
