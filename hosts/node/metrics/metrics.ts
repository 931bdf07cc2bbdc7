/** The metrics of a host, beside those of the core. Their reference is docs/monitoring.md. */
import { Context, Effect, Metric, type Scope } from "effect"
import { monitorEventLoopDelay } from "node:perf_hooks"
import { readdirSync } from "node:fs"
import { coreMetrics, counter, gauge, seconds } from "../../../core/service/metrics.ts"

import packageJson from "slipway/package.json" with { type: "json" }

export const requestDuration = seconds(
  "slipway_http_request_duration_seconds",
  "Time from a request to the end of its answer",
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
  "method",
  "route"
)
export const requestsInFlight = gauge("slipway_http_requests_in_flight", "Requests without a complete answer")
export const receivedBytes = counter("slipway_http_received_bytes_total", "Bytes that clients sent")
export const sentBytes = counter("slipway_http_sent_bytes_total", "Bytes that were sent to clients")
export const callDuration = seconds(
  "slipway_port_call_duration_seconds",
  "Duration of calls of the database and the object store",
  [0.001, 0.005, 0.025, 0.1, 0.5, 2, 10],
  "port",
  "method"
)
export const callFailures = counter(
  "slipway_port_call_failures_total",
  "Calls of the database and the object store without a usable answer",
  "port",
  "method",
  "reason"
)
export const callsInFlight = gauge("slipway_port_calls_in_flight", "Calls without an answer yet", "engine")
export const databaseConnections = gauge("slipway_database_connections_max", "Most connections to PostgreSQL")
export const openReservations = gauge("slipway_reservations_open", "Reservations that can still be finalized")
export const deadEvents = gauge("slipway_event_dead", "Events that were given up, at most 1000")

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
export const registryOf = (context: Context.Context<never>): Context.Context<never> =>
  Context.make(Metric.MetricRegistry, Context.get(context, Metric.MetricRegistry))

/** Shows a number that changes often as a gauge. It is read when somebody reads the metrics, until the scope closes. */
export const readGauge = (gauge: Metric.Gauge<number>, value: () => number): Effect.Effect<void, never, Scope.Scope> =>
  readSeries(gauge, () => ({ value: value() }))

/** Shows a number that grows often as a counter, as {@link readGauge} does. */
export const readCounter = (
  counter: Metric.Counter<number>,
  count: () => number
): Effect.Effect<void, never, Scope.Scope> => readSeries(counter, () => ({ count: count(), incremental: true }))

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
export const measureProcess = Effect.gen(function* () {
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
