/** An object that a request opens is closed with the request, on Node's server and on one that uses Fetch. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { assert, describe } from "@effect/vitest"
import { Effect, Layer, Logger, Result, Schedule, Stream, type Scope } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import { it } from "../../core/testing/layer.ts"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { ObjectSink, SignedUrls } from "./SignedUrls.ts"
import { resolveRange } from "../object-store/makeObjectStore.ts"
import { layerEverySlotOpen } from "../kit/parts/objectStoreHarness.ts"
import { routes } from "./routes.ts"

const chunkBytes = 65_536
const sizeBytes = 1000 * chunkBytes

/** A store of one large object that counts how often it is open, behind URLs that allow everything. */
const counted = () => {
  const count = { opened: 0, open: 0 }
  const open = Effect.acquireRelease(
    Effect.sync(() => {
      count.opened += 1
      count.open += 1
    }),
    () => Effect.sync(() => void (count.open -= 1))
  )
  const store = Layer.mock(ObjectStore, {
    read: Effect.fnUntraced(function* (_, range) {
      yield* open
      const { length, offset } = yield* resolveRange(range, sizeBytes)
      const stream = Stream.unfold(0, (at) => {
        const next = Math.min(at + chunkBytes, length)
        return at === length ? Effect.undefined : Effect.succeed([new Uint8Array(next - at), next] as const)
      })
      return { sizeBytes, offset, length, contentType: "text/plain", stream }
    })
  })
  const urls = Layer.succeed(SignedUrls, {
    put: () => "",
    get: () => "",
    verify: () => Result.succeed({ method: "GET", key: "a" })
  })
  return { count, app: Layer.provide(routes, [store, urls, Layer.mock(ObjectSink, {}), layerEverySlotOpen]) }
}

type Fetch = (init: RequestInit) => Promise<Response>
type Server = (app: ReturnType<typeof counted>["app"]) => Effect.Effect<Fetch, never, Scope.Scope>

const servers: ReadonlyArray<readonly [string, Server]> = [
  [
    "Node's server",
    Effect.fnUntraced(function* (app) {
      const context = yield* Layer.build(
        HttpRouter.serve(app, { disableListenLog: true, disableLogger: true }).pipe(
          Layer.provideMerge(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
          Layer.provide(Logger.layer([])),
          Layer.orDie
        )
      )
      const { address } = yield* Effect.provideContext(HttpServer.HttpServer, context)
      return (init) => fetch(`${HttpServer.formatAddress(address)}/objects/a`, init)
    })
  ],
  [
    "a server that speaks Fetch",
    (app) =>
      Effect.gen(function* () {
        const { handler } = yield* Effect.acquireRelease(
          Effect.sync(() =>
            HttpRouter.toWebHandler(app.pipe(Layer.provide(HttpServer.layerServices)), { disableLogger: true })
          ),
          ({ dispose }) => Effect.promise(dispose)
        )
        return (init) => handler(new Request("http://host.example/objects/a", init))
      })
  ]
]

describe.each(servers)("an object that a GET opens, on %s,", (_, server) => {
  const cases: ReadonlyArray<readonly [string, (get: Fetch, open: () => number) => Promise<void>]> = [
    [
      "is open while it is sent and closed after its last byte",
      async (get, open) => {
        const response = await get({})
        const reader = response.body?.getReader()
        await reader?.read()
        assert.strictEqual(open(), 1)
        let rest = 0
        for (let next = await reader?.read(); next?.value !== undefined; next = await reader?.read()) {
          rest += next.value.byteLength
        }
        assert.isAbove(rest, sizeBytes / 2)
      }
    ],
    [
      "is closed after a range of it",
      async (get) => {
        const response = await get({ headers: { range: "bytes=5-9" } })
        assert.strictEqual(response.status, 206)
        assert.strictEqual((await response.arrayBuffer()).byteLength, 5)
      }
    ],
    [
      "is closed when no byte of it was asked for",
      async (get) => {
        await get({ headers: { range: `bytes=${sizeBytes}-` } })
      }
    ],
    [
      "is closed after a HEAD",
      async (get) => {
        const response = await get({ method: "HEAD" })
        assert.strictEqual(response.headers.get("content-length"), String(sizeBytes))
      }
    ],
    [
      "is closed when the client reads no further",
      async (get) => {
        const reader = (await get({})).body?.getReader()
        await reader?.read()
        await reader?.cancel()
      }
    ],
    [
      "is closed when the client goes away before it reads",
      async (get) => {
        const client = new AbortController()
        await get({ signal: client.signal })
        client.abort()
      }
    ]
  ]

  it.live.each(cases)("%s", function* ([, run]) {
    const { app, count } = counted()
    const get = yield* server(app)
    yield* Effect.promise(() => run(get, () => count.open))
    const left = yield* Effect.repeat(
      Effect.sync(() => count.open),
      { schedule: Schedule.spaced("10 millis"), while: (open) => open > 0 }
    )
    assert.deepStrictEqual({ opened: count.opened, left }, { opened: 1, left: 0 })
  })
})
