import { Effect, identity, Latch, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { createServer } from "node:http"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { decompressionBudget, streamDigest } from "../../../core/service/contentDigest.ts"
import { OpenSlots } from "../../../core/service/OpenSlots.ts"
import { loadOptional, platform } from "../../optionalPackages.ts"
import type { ObjectSink } from "../../signed-urls/ObjectSink.ts"
import { routes } from "../../signed-urls/routes.ts"
import { SignedUrls } from "../../signed-urls/SignedUrls.ts"
import { Settled } from "./objectStoreClient.ts"

/** Counts the requests that are being answered, and waits until there are none. */
const makeInFlight = () => {
  let count = 0
  const none = Latch.makeUnsafe(true)
  const begin = Effect.sync(() => {
    count += 1
    none.closeUnsafe()
  })
  const end = Effect.sync(() => {
    count -= 1
    if (count === 0) none.openUnsafe()
  })
  return {
    counted: <A, E, R>(app: Effect.Effect<A, E, R>) =>
      Effect.acquireUseRelease(
        begin,
        () => app,
        () => end
      ),
    settled: none.await
  }
}

/** Lets every slot take a PUT and any decompressed size, for a store that is tested without reservations. */
export const layerEverySlotOpen = Layer.succeed(
  OpenSlots,
  OpenSlots.of({
    open: () =>
      Effect.succeed({
        accept: (content) => streamDigest(content, decompressionBudget(Infinity)),
        acceptUndigested: Effect.succeed({ passThrough: identity, digest: Effect.undefined })
      }),
    check: () => Effect.void
  })
)

/** The server is loaded only where it is used, because the suites of metadata need no HTTP. */
const httpServer = loadOptional(platform, () => import("@effect/platform-node/NodeHttpServer"))

/** A store whose URLs Slipway signs, with those URLs served over real HTTP on a port of the loopback interface. */
export const loopback = <E>(store: Layer.Layer<ObjectStore | ObjectSink, E, SignedUrls>) =>
  Layer.unwrap(
    Effect.map(httpServer, (NodeHttpServer) => {
      const { counted, settled } = makeInFlight()
      const urls = Layer.effect(
        SignedUrls,
        Effect.map(HttpServer.HttpServer, ({ address }) =>
          SignedUrls.make({
            secret: Redacted.make("a secret for tests"),
            baseUrl: () => HttpServer.formatAddress(address)
          })
        )
      )
      return HttpRouter.serve(routes, { disableListenLog: true, disableLogger: true, middleware: counted }).pipe(
        Layer.provide(layerEverySlotOpen),
        Layer.provideMerge(store),
        Layer.provideMerge(urls),
        Layer.provide(NodeHttpServer.layer(createServer, { host: "127.0.0.1", port: 0 })),
        Layer.merge(Layer.succeed(Settled, settled))
      )
    })
  )
