import type { S3Client } from "@aws-sdk/client-s3"
import { describe } from "@effect/vitest"
import { Context, Effect, Layer, Predicate } from "effect"
import { Agent } from "node:http"
import { ObjectStore } from "../../core/ports/ObjectStore.ts"
import { objectStoreSuite, OpenObjects, UrlFetch } from "../kit/objectStore.ts"
import { openClient } from "./client.ts"
import { loopback } from "../kit/parts/objectStoreHarness.ts"
import { ObjectSink, SignedUrls } from "../signed-urls/SignedUrls.ts"
import { makeObjects, makeServedObjects } from "./objects.ts"
import { newPrefix } from "./testing/openStore.ts"
import { hasS3 } from "./testing/server.ts"

/**
 * How many connections of a client have a request on them. While it makes no other calls, that is the number of open
 * objects.
 */
const busyConnections = ({ config: { requestHandler } }: S3Client): Effect.Effect<number> =>
  Effect.sync(() => {
    if (
      !Predicate.hasProperty(requestHandler, "httpHandlerConfigs") ||
      !Predicate.isFunction(requestHandler.httpHandlerConfigs)
    ) {
      throw new TypeError("the SDK doesn't tell its agents")
    }
    const agents: ReadonlyArray<unknown> = Object.values(requestHandler.httpHandlerConfigs())
    const sockets = agents.filter((agent) => agent instanceof Agent).flatMap((agent) => Object.values(agent.sockets))
    return sockets.flatMap((some = []) => some).filter(({ destroyed }) => !destroyed).length
  })

/** A store may refuse a body in the middle by closing the connection, and its answer is then usually lost. */
const orClosed = (url: string, init: RequestInit): Promise<Response> =>
  fetch(url, init).catch((error: unknown) => {
    if (init.body instanceof ReadableStream) return new Response(null, { status: 400 })
    throw error
  })

const store = Layer.effectContext(
  Effect.gen(function* () {
    const options = yield* newPrefix
    const client = yield* openClient(options)
    return Context.make(ObjectStore, makeObjects({ ...options, client })).pipe(
      Context.add(OpenObjects, busyConnections(client)),
      Context.add(UrlFetch, orClosed)
    )
  })
)

const throughHost = Layer.effectContext(
  Effect.gen(function* () {
    const options = yield* newPrefix
    const client = yield* openClient(options)
    const { sink, store } = makeServedObjects(yield* SignedUrls, { ...options, client })
    return Context.make(ObjectStore, store).pipe(
      Context.add(ObjectSink, sink),
      Context.add(OpenObjects, busyConnections(client))
    )
  })
)

describe.skipIf(!hasS3)("S3", () => {
  objectStoreSuite("S3", store, { urlsServedByHost: false, listsContentType: false })
  objectStoreSuite("S3 through the host", loopback(throughHost), { urlsServedByHost: true, listsContentType: false })
})
