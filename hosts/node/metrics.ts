/** The metrics of a host, beside those of the core. Their reference is docs/monitoring.md. */
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Context, DateTime, Effect, Exit, Layer, Metric, Option, type Scope } from "effect"
import { HttpRouter, HttpServer, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { readdirSync } from "node:fs"
import { statfs } from "node:fs/promises"
import { createServer } from "node:http"
import type { Socket } from "node:net"
import { monitorEventLoopDelay } from "node:perf_hooks"
import packageJson from "slipway/package.json" with { type: "json" }
import { InsufficientStorage, Unavailable } from "../../core/model/Problem.ts"
import { AccountStore } from "../../core/ports/AccountStore.ts"
import { Outbox } from "../../core/ports/Outbox.ts"
import { ReservationStore } from "../../core/ports/ReservationStore.ts"
import { aroundCalls, type Ports } from "../../core/ports/registry.ts"
import { Settings } from "../../core/service/Settings.ts"
import { coreMetrics, counter, countUnusableObject, gauge, seconds } from "../../core/service/telemetry.ts"
import { attachNotes, notesOf } from "../http/requestContext.ts"
import { lastBackup } from "./backupFolder.ts"
import { ListenFailed } from "./Listening.ts"
import type { HostServer } from "./httpServer.ts"
import type { MetricsAddress } from "./settings/settings.ts"

const requestDuration = seconds(
  "slipway_http_request_duration_seconds",
  "Time from a request to the end of its answer",
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  "method",
  "route"
)
const requestsInFlight = gauge("slipway_http_requests_in_flight", "Requests without a complete answer")
const receivedBytes = counter("slipway_http_received_bytes_total", "Bytes that clients sent")
export const sentBytes = counter("slipway_http_sent_bytes_total", "Bytes that were sent to clients")
const callDuration = seconds(
  "slipway_port_call_duration_seconds",
  "Duration of calls of the database and the object store",
  [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10],
  "port",
  "method"
)
const callFailures = counter(
  "slipway_port_call_failures_total",
  "Calls of the database and the object store without a usable answer",
  "port",
  "method",
  "reason"
)
const callsInFlight = gauge("slipway_port_calls_in_flight", "Calls without an answer yet", "engine")
export const databaseConnections = gauge("slipway_database_connections_max", "Most connections to PostgreSQL")
export const openReservations = gauge("slipway_reservations_open", "Reservations that can still be finalized")
export const deadEvents = gauge("slipway_event_dead", "Events that were given up, at most 1000")

const diskFree = gauge("slipway_disk_free_bytes", "Free space of the file system of the data folder")
const diskSize = gauge("slipway_disk_size_bytes", "Size of the file system of the data folder")
const backedUp = gauge("slipway_backup_last_success_timestamp_seconds", "When the newest backup was made, 0 for never")
const backupFailed = gauge("slipway_backup_failed", "1 if the last backup failed")
const delayMax = gauge("slipway_event_loop_delay_max_seconds", "Longest delay of the event loop since the last scrape")
const delayP99 = gauge("slipway_event_loop_delay_p99_seconds", "99th percentile of that delay")
const build = gauge("slipway_build_info", "The version of Slipway and of Node", "version", "node")
const cpu = counter("process_cpu_seconds_total", "CPU time of the process")
const resident = gauge("process_resident_memory_bytes", "Memory of the process")
const heap = gauge("process_heap_used_bytes", "Memory of the JavaScript objects in use")
const started = gauge("process_start_time_seconds", "When the process started")
const descriptors = gauge("process_open_fds", "Open file descriptors, where the system lists them")

/** Every metric of a host. */
export const hostMetrics = [
  ...coreMetrics,
  requestDuration,
  requestsInFlight,
  receivedBytes,
  sentBytes,
  callDuration,
  callFailures,
  callsInFlight,
  databaseConnections,
  openReservations,
  deadEvents,
  diskFree,
  diskSize,
  backedUp,
  backupFailed,
  delayMax,
  delayP99,
  build,
  cpu,
  resident,
  heap,
  started,
  descriptors
]

/** A context of the same metrics and nothing else. It is for frequent updates: a large context is slow to search. */
const registryOf = (context: Context.Context<never>): Context.Context<never> =>
  Context.make(Metric.MetricRegistry, Context.get(context, Metric.MetricRegistry))

/** Shows a number that changes often as a gauge. It is read when somebody reads the metrics, until the scope closes. */
const readGauge = (gauge: Metric.Gauge<number>, value: () => number): Effect.Effect<void, never, Scope.Scope> =>
  readSeries(gauge, () => ({ value: value() }))

/** Shows a number that grows often as a counter, as {@link readGauge} does. */
const readCounter = (counter: Metric.Counter<number>, count: () => number): Effect.Effect<void, never, Scope.Scope> =>
  readSeries(counter, () => ({ count: count(), incremental: true }))

const ignored = () => undefined

const readSeries = <State>(metric: Metric.Metric<number, State>, get: () => State) =>
  Effect.flatMap(Effect.context<never>(), (context) =>
    Effect.asVoid(
      Effect.acquireRelease(
        Effect.sync(() => Metric.registerUnsafe(metric, context, { get, update: ignored, modify: ignored })),
        ({ remove }) => Effect.sync(remove)
      )
    )
  )

const nanos = 1e9

const openDescriptors = (): number | undefined => {
  try {
    return readdirSync("/proc/self/fd").length
  } catch {
    return undefined
  }
}

/** Measures the process until the scope closes: the effect updates the metrics of the process. */
const measureProcess = Effect.gen(function* () {
  const delay = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const histogram = monitorEventLoopDelay({ resolution: 20 })
      histogram.enable()
      return histogram
    }),
    (histogram) => Effect.sync(() => histogram.disable())
  )
  yield* Metric.update(build(packageJson.version, process.version), 1)
  yield* Metric.update(started(), performance.timeOrigin / 1000)
  let counted = 0
  return Effect.suspend(() => {
    const { system, user } = process.cpuUsage()
    const { heapUsed, rss } = process.memoryUsage()
    const total = (system + user) / 1e6
    const before = counted
    counted = total
    const files = openDescriptors()
    // The monitor measures timers of 20 ms, and has NaN before the first one.
    const [longest, p99] = [delay.max, delay.percentile(99)].map((value) => Math.max(0, value - 20e6 || 0) / nanos)
    delay.reset()
    return Effect.all([
      Metric.update(delayMax(), longest ?? 0),
      Metric.update(delayP99(), p99 ?? 0),
      Metric.update(cpu(), total - before),
      Metric.update(resident(), rss),
      Metric.update(heap(), heapUsed),
      files === undefined ? Effect.void : Metric.update(descriptors(), files)
    ])
  })
})

/** Why a call had no usable answer; `undefined` if it had one, such as a conflict. */
const reasonOf = (exit: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(exit) || Exit.hasInterrupts(exit)) return undefined
  const error = Option.getOrUndefined(Exit.findErrorOption(exit))
  if (error === undefined) return "fault"
  if (error instanceof Unavailable) return "unavailable"
  return error instanceof InsufficientStorage ? "no space" : undefined
}

/** Every port as it is given, with the duration and the failures of each call in the metrics. */
export const layerMeasuredPorts = Layer.effectContext(
  Effect.gen(function* () {
    const given = yield* Effect.context<Ports>()
    const context = registryOf(given)
    const open = { database: 0, "object store": 0 }
    yield* readGauge(callsInFlight("database"), () => open.database)
    yield* readGauge(callsInFlight("object store"), () => open["object store"])
    return aroundCalls(given, (port, method) => {
      const duration = callDuration(port, method)
      const engine = port === "ObjectStore" ? "object store" : "database"
      return (call) =>
        Effect.suspend(() => {
          const began = performance.now()
          open[engine] += 1
          return Effect.onExitPrimitive(call, (exit) => {
            open[engine] -= 1
            duration.updateUnsafe((performance.now() - began) / 1000, context)
            const reason = reasonOf(exit)
            if (reason !== undefined) callFailures(port, method, reason).updateUnsafe(1, context)
            return undefined
          })
        })
    })
  })
)

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

/** The folders of a host that its metrics report on. */
export interface WatchedFolders {
  /** The data folder, if the host stores anything in it. */
  readonly data?: string | undefined
  readonly backups?: string | undefined
}

/** Measures the folders, as far as they can be read. */
const measureFolders = ({ backups, data }: WatchedFolders) =>
  Effect.gen(function* () {
    const disk = data === undefined ? undefined : yield* Effect.option(Effect.tryPromise(() => statfs(data)))
    if (disk?._tag === "Some") {
      const { bavail, blocks, bsize } = disk.value
      yield* Metric.update(diskFree(), bavail * bsize)
      yield* Metric.update(diskSize(), blocks * bsize)
    }
    const last = backups === undefined ? undefined : yield* Effect.option(Effect.try(() => lastBackup(backups)))
    if (last?._tag === "Some") {
      yield* Metric.update(backedUp(), last.value.madeAt / 1000)
      yield* Metric.update(backupFailed(), last.value.isFailed ? 1 : 0)
    }
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
export const layer = ({ host, port, ...folders }: MetricsAddress & WatchedFolders, server: HostServer) => {
  const listening = NodeHttpServer.layer(() => createServer(), { host, port }).pipe(
    Layer.catchTag("ServeError", ({ cause }) =>
      Layer.effectContext(Effect.fail(new ListenFailed({ host, port, cause })))
    )
  )
  const route = HttpRouter.use((router) =>
    Effect.gen(function* () {
      // A rate needs a first value.
      for (const reason of ["missing", "altered"] as const) yield* countUnusableObject(reason, 0)
      const [sampleProcess, sampleStored] = [yield* measureProcess, yield* countStored]
      yield* router.add(
        "GET",
        "/metrics",
        Effect.gen(function* () {
          yield* sampleProcess
          yield* sampleStored
          yield* measureFolders(folders)
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
