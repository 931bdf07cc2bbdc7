/** The service as a layer of an Effect application that has routes, errors, spans and a log of its own. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Layer, Logger, Redacted, Schema, Tracer } from "effect"
import { HttpClient, HttpClientRequest, HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as memory from "../../adapters/memory/index.ts"
import { Administration } from "../../core/service/Administration.ts"
import { Builds } from "../../core/service/Builds.ts"
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
