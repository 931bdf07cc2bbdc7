/** What a host publishes of its work: spans of calls, and metrics. */
import { Clock, Context, Effect, Layer, Metric, Option, Tracer } from "effect"
import { aroundCalls, ports, type Ports } from "../ports/registry.ts"
import type { JobName, Swept } from "../model/Sweep.ts"
import type { Rates } from "../rules/limits.ts"

/** Runs an effect in a span, if the host has its own tracer and `isWanted`. */
const inSpanIf =
  (name: string, isWanted: (parent: Tracer.AnySpan | undefined) => boolean, options?: Tracer.SpanOptionsNoTrace) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber(({ context }) =>
      Context.get(context, Tracer.Tracer) !== Tracer.nativeTracer &&
      isWanted(Context.getOrUndefined(context, Tracer.ParentSpan))
        ? Effect.withSpan(effect, name, { ...options, captureStackTrace: false })
        : effect
    )

/**
 * Runs an effect in a span of that name, if the host has its own tracer. Methods that requests call use it: `Effect.fn` captures a
 * stack and makes a span with each call even without a tracer, which is expensive.
 */
export const inSpan = (name: string, options?: Tracer.SpanOptionsNoTrace) => inSpanIf(name, () => true, options)

/** The same, but only within another span: what a host does in the background every second is no trace of its own. */
const inChildSpan = (name: string) => inSpanIf(name, (parent) => parent !== undefined)

const traceparent = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/** The span at hand as a `traceparent` of W3C Trace Context, if the host has its own tracer. */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.gen(function* () {
  const span = Option.getOrUndefined(yield* Effect.serviceOption(Tracer.ParentSpan))
  if (span === undefined || (yield* Tracer.Tracer) === Tracer.nativeTracer) return undefined
  return `00-${span.traceId.padStart(32, "0")}-${span.spanId}-${span.sampled ? "01" : "00"}`
})

/** The span that a `traceparent` names, to be the parent of another one. */
export const spanOfTraceparent = (text: string | undefined): Tracer.AnySpan | undefined => {
  const [, traceId, spanId, flags = "00"] = traceparent.exec(text ?? "") ?? []
  if (traceId === undefined || spanId === undefined) return undefined
  return Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 })
}

/** Every port as it is given. If the host has a tracer, each call has a span within another one, such as `AccountStore.insert`. */
export const layerTracedPorts = Layer.effectContext(
  Effect.gen(function* () {
    const given = yield* Effect.context<Ports>()
    return (yield* Tracer.Tracer) === Tracer.nativeTracer
      ? Context.pick(...ports)(given)
      : aroundCalls(given, (port, method) => inChildSpan(`${port}.${method}`))
  })
)

/** A metric with labels. Called with their values, it answers the series of these values, which is made once. */
export interface MetricFamily<Labels extends ReadonlyArray<string>, Series> {
  (...values: { readonly [Index in keyof Labels]: string }): Series
  readonly metric: string
  readonly description: string
  readonly labels: Labels
}

/** Values of labels have to be bounded: each combination of them stays in memory. */
const family = <const Labels extends ReadonlyArray<string>, Series>(
  metric: string,
  description: string,
  labels: Labels,
  make: (options: { readonly description: string; readonly attributes: Readonly<Record<string, string>> }) => Series
): MetricFamily<Labels, Series> => {
  const made = new Map<string, Series>()
  const of = (...values: ReadonlyArray<string>) => {
    const key = values.join("\n")
    const known = made.get(key)
    if (known !== undefined) return known
    const attributes = Object.fromEntries(labels.map((label, index) => [label, values[index] ?? ""]))
    const series = make({ description, attributes })
    made.set(key, series)
    return series
  }
  return Object.assign(of, { metric, description, labels })
}

/** A number that only grows. */
export const counter = <const Labels extends ReadonlyArray<string>>(
  metric: string,
  description: string,
  ...labels: Labels
) => family(metric, description, labels, (options) => Metric.counter(metric, { ...options, incremental: true }))

/** A number that grows and shrinks. */
export const gauge = <const Labels extends ReadonlyArray<string>>(
  metric: string,
  description: string,
  ...labels: Labels
) => family(metric, description, labels, (options) => Metric.gauge(metric, options))

/** Durations in seconds, counted in buckets of at most these. */
export const seconds = <const Labels extends ReadonlyArray<string>>(
  metric: string,
  description: string,
  boundaries: ReadonlyArray<number>,
  ...labels: Labels
) => family(metric, description, labels, (options) => Metric.histogram(metric, { ...options, boundaries }))

// The metrics of the core, in the `MetricRegistry` that is provided with the ports. Their reference is docs/monitoring.md.

const requests = counter("slipway_http_requests_total", "Answered requests", "method", "route", "status")
const refusals = counter("slipway_refusals_total", "Requests answered with a problem", "code")
const limited = counter("slipway_rate_limited_total", "Requests above a rate limit", "policy")
const waiting = gauge("slipway_requests_waiting", "Requests that wait because of others of their account")
const waits = seconds(
  "slipway_request_wait_seconds",
  "Time that such requests waited",
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30]
)
const reservations = counter("slipway_reservations_total", "Reservations of builds and previews")
const finalizes = counter("slipway_finalizes_total", "Uploads that were verified and hosted")
const hostedBytes = counter("slipway_hosted_bytes_total", "Bytes of the uploads that were hosted")
const finalizePhases = seconds(
  "slipway_finalize_duration_seconds",
  "Duration of the phases of a finalize",
  [0.01, 0.05, 0.25, 1, 5, 30, 120],
  "phase"
)
const unusableObjects = counter(
  "slipway_hosted_objects_unusable_total",
  "Reads of hosted objects that are missing from the store, or altered",
  "reason"
)
const deliveries = counter("slipway_event_deliveries_total", "Attempts to deliver an event", "status")
const deliveryDelay = seconds(
  "slipway_event_delivery_delay_seconds",
  "Time from an event to its first delivery attempt",
  [0.1, 1, 5, 30, 120, 600, 3600]
)
const swept = counter("slipway_swept_total", "Resources and objects that sweeps deleted", "rule")
const sweptBytes = counter("slipway_swept_bytes_total", "Bytes that sweeps deleted", "rule")
const sweepSteps = counter("slipway_sweep_steps_total", "Steps of the jobs of sweeps", "sweep_job")
const sweepFailures = counter("slipway_sweep_failures_total", "Failures of the jobs of sweeps", "sweep_job")
const sweepDone = gauge(
  "slipway_sweep_last_success_timestamp_seconds",
  "When a job last ended on this host",
  "sweep_job"
)

/** Every metric of the core. */
export const coreMetrics = [
  requests,
  refusals,
  limited,
  waiting,
  waits,
  reservations,
  finalizes,
  hostedBytes,
  finalizePhases,
  unusableObjects,
  deliveries,
  deliveryDelay,
  swept,
  sweptBytes,
  sweepSteps,
  sweepFailures,
  sweepDone
]

/** Counts a request. `route` is the pattern of its path, such as `/api/v1/builds/:id`. */
export const countRequest = (request: {
  readonly method: string
  readonly route: string
  readonly status: string
}): Effect.Effect<void> => Metric.update(requests(request.method, request.route, request.status), 1)

/** Counts an answer with a problem of this code. */
export const countRefusal = (code: string): Effect.Effect<void> => Metric.update(refusals(code), 1)

/** Counts a request above a rate limit. */
export const countRateLimited = (policy: keyof Rates | "concurrency"): Effect.Effect<void> =>
  Metric.update(limited(policy), 1)

/** Measures how many requests wait for a permit. */
export const measureWaitingRequests = (count: number): Effect.Effect<void> => Metric.update(waiting(), count)

/** Measures how long a request waited for a permit. */
export const timeWaitingRequest = (waited: number): Effect.Effect<void> => Metric.update(waits(), waited)

/** Counts a reservation. */
export const countReservation: Effect.Effect<void> = Metric.update(reservations(), 1)

/** Counts an upload of so many bytes that is hosted from now on. */
export const countFinalize = (bytes: number): Effect.Effect<void> =>
  Effect.andThen(Metric.update(finalizes(), 1), Metric.update(hostedBytes(), bytes))

/** Measures how long a phase of a finalize takes. */
export const timeFinalize =
  (phase: "promote" | "verify" | "commit" | "cleanup") =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.clockWith((clock) => {
      const began = clock.monotonicTimeNanosUnsafe()
      return Effect.ensuring(
        effect,
        Effect.suspend(() =>
          Metric.update(finalizePhases(phase), Number(clock.monotonicTimeNanosUnsafe() - began) / 1e9)
        )
      )
    })

/** Counts reads of hosted objects that are missing from the store, or aren't those that were uploaded. */
export const countUnusableObject = (reason: "missing" | "altered", reads = 1): Effect.Effect<void> =>
  Metric.update(unusableObjects(reason), reads)

/** Counts an attempt to deliver an event. */
export const countDelivery = (status: "delivered" | "failed" | "given up"): Effect.Effect<void> =>
  Metric.update(deliveries(status), 1)

/** Measures how long an event of this time waited for its first delivery attempt. */
export const timeDeliveryDelay = (eventAt: number): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Metric.update(deliveryDelay(), Math.max(0, now - eventAt) / 1000))

/** Counts a step of a sweep and what it deleted. */
export const countSweepStep = (job: JobName, deleted: ReadonlyArray<Swept>): Effect.Effect<void> =>
  Effect.andThen(
    Metric.update(sweepSteps(job), 1),
    Effect.forEach(
      deleted,
      ({ bytes, count, rule }) =>
        Effect.andThen(Metric.update(swept(rule), count), Metric.update(sweptBytes(rule), bytes)),
      { discard: true }
    )
  )

/** Counts a job of a sweep that failed. */
export const countSweepFailure = (job: JobName): Effect.Effect<void> => Metric.update(sweepFailures(job), 1)

/** Notes that a job of a sweep has ended. */
export const noteSweepDone = (job: JobName): Effect.Effect<void> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => Metric.update(sweepDone(job), now / 1000))
