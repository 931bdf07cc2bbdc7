/** Services that a host provides beside the ports are used by every request and by `run`. */
import { Clock, DateTime, Effect, Layer, Logger, Metric, Redacted, Tracer } from "effect"
import { make as makeRandom, SecureRandom } from "effect/crypto/SecureRandom"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { createHash } from "node:crypto"
import { assert, it, onTestFinished } from "vitest"
import * as memory from "../../adapters/memory/index.ts"
import { Sha256 } from "../../core/ports/HostServices.ts"
import { Administration } from "../../core/service/Administration.ts"
import type { ReceiveEvent } from "./events.ts"
import { makeSlipway } from "./slipway.ts"

const url = "http://slipway.example"

/** Embeds Slipway with `given` merged into the ports, and beside it a route that logs and counts. */
const embed = <E>(given: Layer.Layer<never, E>, events?: ReceiveEvent) => {
  const engines = memory.engines({ url, secret: Redacted.make("signs upload URLs") })
  const own = HttpRouter.add(
    "GET",
    "/own",
    Effect.log("asked").pipe(
      Effect.andThen(Metric.update(Metric.counter("asked"), 1)),
      Effect.as(HttpServerResponse.text("done"))
    )
  )
  const slipway = makeSlipway({
    settings: { url },
    ports: Layer.merge(engines.ports, given),
    routes: Layer.merge(engines.routes, own),
    events
  })
  onTestFinished(() => slipway.dispose())
  const makeKey = Administration.use((admin) =>
    Effect.andThen(
      Effect.all([
        admin.createAccount({ name: "acme" }),
        admin.linkRepository({ account: "acme", owner: "acme", repo: "app" })
      ]),
      admin.createKey({ account: "acme", name: "ci", scopes: ["builds"] })
    )
  )
  const get = async (path: string, headers: Record<string, string> = {}) =>
    slipway.fetch(new Request(url + path, { headers }))
  /** Uploads a build with a file without a declared digest, and answers the row of the build that is ready. */
  const upload = async (): Promise<Record<string, unknown>> => {
    const { key } = await slipway.run(makeKey)
    const post = async (body: unknown) => {
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }
      const answer = await slipway.fetch(
        new Request(`${url}/api/v1/builds`, { method: "POST", headers, body: JSON.stringify(body) })
      )
      assert.strictEqual(answer.status, 201)
      return answer.json()
    }
    const { slots, token } = await post({
      owner: "acme",
      repo: "app",
      branch: "main",
      platform: "ios",
      commitSha: "a".repeat(40),
      contentHash: createHash("sha256").update("app()").digest("hex"),
      bundleSizeBytes: 5,
      bundleContentType: "text/javascript"
    })
    const headers = { "content-type": "text/javascript", "content-length": "5" }
    const put = await slipway.fetch(new Request(slots.bundle.putUrl, { method: "PUT", headers, body: "app()" }))
    assert.strictEqual(put.status, 200)
    return post({ operation: "finalize", token })
  }
  return { get, upload, run: slipway.run }
}

it("the clock tells the time of requests and of run", async () => {
  const then = DateTime.makeUnsafe("2031-05-06T07:08:09.000Z")
  const millis = then.epochMilliseconds
  const nanos = BigInt(millis) * 1_000_000n
  const { run, upload } = embed(
    Layer.succeed(Clock.Clock, {
      currentTimeMillisUnsafe: () => millis,
      currentTimeMillis: Effect.succeed(millis),
      currentTimeNanosUnsafe: () => nanos,
      currentTimeNanos: Effect.succeed(nanos),
      monotonicTimeNanosUnsafe: () => nanos,
      monotonicTimeNanos: Effect.succeed(nanos),
      sleep: () => Effect.never
    })
  )
  assert.strictEqual((await upload())["createdAt"], "2031-05-06T07:08:09.000Z")
  assert.strictEqual(DateTime.formatIso(await run(DateTime.now)), "2031-05-06T07:08:09.000Z")
})

it("the tracer sees a span of each request, service and call of a store", async () => {
  const spans: Array<{ readonly name: string; readonly parent: string | undefined }> = []
  const { upload } = embed(
    Layer.succeed(
      Tracer.Tracer,
      Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          const parent = options.parent.pipe((one) => (one._tag === "Some" ? one.value : undefined))
          spans.push({ name: span.name, parent: parent?._tag === "Span" ? parent.name : undefined })
          return span
        }
      })
    )
  )
  await upload()
  const seen = spans.map(({ name, parent }) => `${parent ?? "nothing"} > ${name}`)
  assert.includeMembers(seen, [
    "nothing > Administration.createAccount",
    "Administration.createAccount > AuditLog.record",
    "AuditLog.record > AccountStore.insert",
    "nothing > POST",
    "Builds.reserve > BuildStore.loadForReserve",
    "Uploads.slots > ObjectStore.presignPuts",
    "Uploads.finalize > BuildStore.commitFinalize"
  ])
})

it("the logger takes the lines of requests and of run", async () => {
  const lines: Array<unknown> = []
  const { get, run } = embed(Logger.layer([Logger.make(({ message }) => void lines.push(message))]))
  await get("/own")
  await run(Effect.log("ran"))
  assert.deepStrictEqual(lines, [["asked"], ["ran"]])
})

it("the registry holds the metrics of requests and of run", async () => {
  const registry: Metric.MetricRegistry = new Map()
  const { get, run } = embed(Layer.succeed(Metric.MetricRegistry, registry))
  await get("/own")
  await run(Metric.update(Metric.counter("ran"), 1))
  assert.includeMembers(
    Array.from(registry.values(), ({ id }) => id),
    ["asked", "ran"]
  )
})

it("the registry counts requests by route and status, what is hosted, and deliveries of events", async () => {
  const registry: Metric.MetricRegistry = new Map()
  const delivered = Promise.withResolvers<void>()
  const { get, run, upload } = embed(Layer.succeed(Metric.MetricRegistry, registry), async ({ type }) => {
    if (type === "build.ready") delivered.resolve()
    else throw new Error("not now")
  })
  const { id } = await upload()
  await get(`/api/v1/builds/${String(id)}`)
  const { key } = await run(
    Administration.use((admin) => admin.createKey({ account: "acme", name: "reader", scopes: ["builds"] }))
  )
  for (const accept of ["application/json", "application/*"])
    await get(`/api/v1/builds/${String(id)}`, { authorization: `Bearer ${key}`, accept })
  await get("/nowhere/at/all")
  await delivered.promise
  const counted = async () => {
    const all = await run(Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry))
    return all.flatMap(({ attributes, id, state }) =>
      "count" in state ? [[id, ...Object.values(attributes ?? {}), state.count].join(" ")] : []
    )
  }
  const isCounted = async (status: string) =>
    (await counted()).some((one) => one.startsWith(`slipway_event_deliveries_total ${status}`))
  while (!(await isCounted("delivered")) || !(await isCounted("failed"))) await get("/own")
  assert.includeMembers(await counted(), [
    "slipway_http_requests_total POST /api/v1/builds 201 2",
    "slipway_http_requests_total GET /api/v1/builds/:id 401 1",
    "slipway_http_requests_total GET /api/v1/builds/:id 200 2",
    "slipway_http_requests_total GET none 404 1",
    "slipway_finalizes_total 1",
    "slipway_hosted_bytes_total 5",
    "slipway_event_deliveries_total delivered 1"
  ])
})

it("the hasher digests what is uploaded", async () => {
  let digested = 0
  const { upload } = embed(
    Layer.succeed(Sha256, () => {
      const hash = createHash("sha256")
      return {
        update: (bytes) => {
          digested += bytes.byteLength
          hash.update(bytes)
        },
        digest: () => hash.digest("hex")
      }
    })
  )
  await upload()
  assert.isAtLeast(digested, "app()".length)
})

it("ids and request ids are made of the random bytes that are given", async () => {
  const { get, upload } = embed(
    Layer.succeed(
      SecureRandom,
      makeRandom((size) => new Uint8Array(size).fill(7))
    )
  )
  assert.match(String((await upload())["id"]), /-8707-0[\da-f]0[\da-f]07070707$/)
  assert.strictEqual((await get("/own")).headers.get("x-request-id"), "07070707-0707-4707-8707-070707070707")
})
