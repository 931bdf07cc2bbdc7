/** The traces of a host, at an OTLP endpoint. */
import { assert, describe } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Redacted, Schema } from "effect"
import { IpNetwork } from "effect/net"
import { createServer, type IncomingHttpHeaders } from "node:http"
import { json } from "node:stream/consumers"
import { onTestFinished } from "vitest"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { it } from "../../core/testing/layer.ts"
import { inMemory } from "../http/testing/engines.ts"
import { layerClock, newAccount, TestHost } from "../http/testing/TestHost.ts"
import { bundle, put, reserve } from "../http/testing/uploads.ts"
import * as tracing from "./tracing.ts"

const Attribute = Schema.Struct({ key: Schema.String, value: Schema.Unknown })
const Span = Schema.Struct({
  name: Schema.String,
  traceId: Schema.String,
  spanId: Schema.String,
  parentSpanId: Schema.optionalKey(Schema.String),
  attributes: Schema.Array(Attribute)
})
const Export = Schema.Struct({
  resourceSpans: Schema.Array(
    Schema.Struct({
      resource: Schema.Struct({ attributes: Schema.Array(Attribute) }),
      scopeSpans: Schema.Array(Schema.Struct({ spans: Schema.Array(Span) }))
    })
  )
})
const decode = Schema.decodeUnknownSync(Export)

interface Received {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

/** A server that keeps what is posted to it. */
const receive = Effect.promise(async () => {
  const received: Array<Received> = []
  let look: () => void = () => undefined
  const server = createServer((request, response) => {
    void json(request).then((body) => {
      received.push({ path: request.url, headers: request.headers, body })
      response.end("{}")
      look()
    })
  })
  onTestFinished(() => void server.close())
  const port = await listen(server)
  /** What was received, once it is enough. */
  const until = (isEnough: (received: ReadonlyArray<Received>) => boolean) =>
    Effect.callback<ReadonlyArray<Received>>((resume) => {
      look = () => {
        if (isEnough(received)) resume(Effect.succeed(received))
      }
      look()
    })
  return { url: `http://127.0.0.1:${port}`, received, until }
})

const spansOf = (received: ReadonlyArray<Received>) =>
  received.flatMap(({ body }) =>
    decode(body).resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))
  )

const hostWith = (env: Record<string, string>, others: Parameters<typeof TestHost.layer>[2] = {}) =>
  TestHost.layer(inMemory, {}, others).pipe(
    Layer.provide(Layer.provide(tracing.layer, layerClock)),
    Layer.provide(ConfigProvider.layer(ConfigProvider.fromUnknown({ OTEL_BSP_SCHEDULE_DELAY: "10", ...env })))
  )

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const headers = { traceparent: `00-${traceId}-00f067aa0ba902b7-01` }

const upload = Effect.fnUntraced(function* (sent: Record<string, string>) {
  const host = yield* TestHost
  const account = yield* newAccount()
  const { id, slots, token } = yield* reserve(account)
  yield* put(slots.bundle, bundle)
  const body = { operation: "finalize", token }
  yield* host.call("POST", "/api/v1/builds", { key: account.key, body, headers: sent })
  return { account, id, token, slots }
})

describe("the traces of a host", () => {
  it.effect(
    "have a span of a request, of its service and of its port calls, and continue the trace of the client",
    function* () {
      const [collector, receiver] = [yield* receive, yield* receive]
      const webhook = { url: `${receiver.url}/hook`, secret: Redacted.make(`whsec_${"a".repeat(32)}`) }
      const webhookNetworks = [yield* Effect.fromResult(IpNetwork.fromString("127.0.0.0/8"))]
      const env = {
        OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
        OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test"
      }
      yield* Effect.gen(function* () {
        const { account, slots, token } = yield* upload(headers)
        const isOfClient = (span: typeof Span.Type) => span.traceId === traceId
        const traced = ({ headers }: Received) => headers["traceparent"]?.includes(traceId) === true
        const sent = (yield* receiver.until((received) => received.some(traced))).find(traced)
        const [, , sender] = String(sent?.headers["traceparent"]).split("-")
        const exported = yield* collector.until((received) => {
          const found = spansOf(received).filter(isOfClient)
          return found.some(({ spanId }) => spanId === sender) && found.some(({ name }) => name.includes("POST"))
        })
        for (const { path } of exported) assert.strictEqual(path, "/v1/traces")
        const [{ resource } = assert.fail("nothing was exported")] = decode(exported[0]?.body).resourceSpans
        const named = Object.fromEntries(resource.attributes.map(({ key, value }) => [key, value]))
        assert.deepStrictEqual(named["service.name"], { stringValue: "slipway" })
        assert.deepStrictEqual(named["deployment.environment"], { stringValue: "test" })

        const spans = spansOf(exported)
        const ofClient = spans.filter(isOfClient)
        const request = ofClient.find(({ parentSpanId }) => parentSpanId === "00f067aa0ba902b7")
        assert.include(request?.name, "POST")
        const service = ofClient.find(({ name }) => name === "Uploads.finalize")
        const commit = ofClient.find(({ name }) => name === "BuildStore.commitFinalize")
        assert.exists(service)
        assert.strictEqual(commit?.parentSpanId, service.spanId)
        assert.strictEqual(ofClient.find(({ spanId }) => spanId === sender)?.name, "Events.deliver")
        // What a host does every second is no trace.
        assert.isEmpty(spans.filter(({ name, parentSpanId }) => name === "Outbox.claim" && parentSpanId === undefined))

        const text = JSON.stringify(exported)
        for (const secret of [account.key, token, new URL(slots.bundle.putUrl).search.slice(1)])
          assert.notInclude(text, secret)
      }).pipe(Effect.provide(hostWith(env, { webhook, webhookNetworks })))
    }
  )

  it.effect("are those that the sampler selects", function* () {
    const collector = yield* receive
    const sampler = { OTEL_TRACES_SAMPLER: "parentbased_always_off", OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
    yield* Effect.gen(function* () {
      yield* upload({})
      yield* upload(headers)
      const exported = yield* collector.until((received) =>
        spansOf(received).some(({ name }) => name === "Uploads.finalize")
      )
      assert.deepStrictEqual(new Set(spansOf(exported).map((span) => span.traceId)), new Set([traceId]))
    }).pipe(Effect.provide(hostWith(sampler)))
  })

  for (const [name, value] of [
    ["OTEL_EXPORTER_OTLP_ENDPOINT", "no URL"],
    ["OTEL_TRACES_SAMPLER", "some"],
    ["OTEL_TRACES_SAMPLER_ARG", "2"]
  ] as const) {
    it.effect(`can't be set up with ${name}=${value}`, function* () {
      const set = ConfigProvider.layer(ConfigProvider.fromUnknown({ [name]: value }))
      const refused = yield* Effect.flip(Effect.scoped(Layer.build(Layer.provide(tracing.layer, set))))
      assert.include(refused.message, name)
      assert.notInclude(refused.message, "\n")
    })
  }
})
