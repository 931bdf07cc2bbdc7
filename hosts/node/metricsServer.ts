import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { DateTime, Effect, Layer, Metric } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { Settings } from "../../core/service/Settings.ts"
import { attachNotes, notesOf } from "../http/accessNotes.ts"
import type { HostServer } from "./httpServer.ts"
import type { MetricsAddress } from "./settings/metricsSetting.ts"
import { ListenFailed } from "./ListenFailed.ts"
import {
  deadEvents,
  measureProcess,
  openReservations,
  readCounter,
  readGauge,
  receivedBytes,
  registryOf,
  requestDuration,
  requestsInFlight,
  sentBytes
} from "./metrics/metrics.ts"

/** How long what is counted in the database is reused. */
const countedFor = 60_000

/** Counts open reservations and events that were given up, at most once a minute; not while the database can't be reached. */
const countStored = Effect.gen(function* () {
  const accounts = yield* AccountStore
  const outbox = yield* Outbox
  const reservations = yield* ReservationStore
  const settings = yield* Settings
  let countedAt: number | undefined
  return Effect.gen(function* () {
    const now = yield* DateTime.now
    if (countedAt !== undefined && Math.abs(now.epochMilliseconds - countedAt) < countedFor) return
    countedAt = now.epochMilliseconds
    const open = yield* Effect.forEach(yield* accounts.list, ({ id }) =>
      reservations.countOpen(id, now, settings.openReservations)
    )
    yield* Metric.update(
      openReservations(),
      open.reduce((sum, { count }) => sum + count, 0)
    )
    yield* Metric.update(deadEvents(), (yield* outbox.dead({ limit: 1000 })).length)
  }).pipe(Effect.timeoutOption("5 seconds"), Effect.ignore)
})

/** Measures the requests of a server, those that are refused before the router included. */
const layerMeasuredRequests = (server: HostServer) =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const context = registryOf(yield* Effect.context<never>())
      let [open, received, sent] = [0, 0, 0]
      yield* readGauge(requestsInFlight(), () => open)
      yield* readCounter(receivedBytes(), () => received)
      yield* readCounter(sentBytes(), () => sent)
      const counted = new WeakMap<Socket, { read: number; written: number }>()
      const before = server.begins
      server.begins = (request, response) => {
        before(request, response)
        attachNotes(request)
        const began = performance.now()
        open += 1
        response.once("close", () => {
          const { method = "", socket } = request
          const { bytesRead, bytesWritten } = socket
          const last = counted.get(socket)
          received += bytesRead - (last?.read ?? 0)
          sent += bytesWritten - (last?.written ?? 0)
          if (last === undefined) counted.set(socket, { read: bytesRead, written: bytesWritten })
          else [last.read, last.written] = [bytesRead, bytesWritten]
          open -= 1
          const route = notesOf(request).route ?? "none"
          // A stream of events lasts as long as somebody looks at a page.
          if (route !== "/changes")
            requestDuration(method, route).updateUnsafe((performance.now() - began) / 1000, context)
        })
      }
    })
  )

/** `GET /metrics` on an address of its own, with metrics of this server. */
export const layer = ({ host, port }: MetricsAddress, server: HostServer) => {
  const listening = NodeHttpServer.layer(() => createServer(), { host, port }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effectContext(Effect.fail(new ListenFailed({ host, port, cause })))
    )
  )
  const route = HttpRouter.use((router) =>
    Effect.gen(function* () {
      const [sampleProcess, sampleStored] = [yield* measureProcess, yield* countStored]
      yield* router.add(
        "GET",
        "/metrics",
        Effect.gen(function* () {
          yield* sampleProcess
          yield* sampleStored
          const body = yield* PrometheusMetrics.format()
          return HttpServerResponse.text(body, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
        })
      )
    })
  )
  const listens = Effect.flatMap(HttpServer.HttpServer, ({ address }) =>
    Effect.logInfo(`Metrics on ${HttpServer.formatAddress(address)}/metrics`)
  )
  return HttpRouter.serve(route, { disableListenLog: true, disableLogger: true }).pipe(
    Layer.merge(Layer.effectDiscard(listens)),
    Layer.provide(listening),
    Layer.merge(layerMeasuredRequests(server))
  )
}
