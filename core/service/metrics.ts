/** The metrics, in the `MetricRegistry` that is provided with the ports. */
import { Effect, Metric } from "effect"

const counter = (name: string, description: string) => Metric.counter(name, { description, incremental: true })

const requests = counter("slipway_requests_total", "Requests by method, route and status of the answer")
const finalizes = counter("slipway_finalizes_total", "Uploads that were verified and hosted")
const hostedBytes = counter("slipway_hosted_bytes_total", "Bytes of the uploads that were hosted")
const deliveries = counter("slipway_event_deliveries_total", "Attempts to deliver an event, by what came of them")

/** Counts a request. `route` is the pattern of its path, such as `/api/v1/builds/:id`. */
export const countRequest = (request: {
  readonly method: string
  readonly route: string
  readonly status: string
}): Effect.Effect<void> => Metric.update(Metric.withAttributes(requests, request), 1)

/** Counts an upload of so many bytes that is hosted from now on. */
export const countFinalize = (bytes: number): Effect.Effect<void> =>
  Effect.andThen(Metric.update(finalizes, 1), Metric.update(hostedBytes, bytes))

/** Counts an attempt to deliver an event. */
export const countDelivery = (status: "delivered" | "failed" | "given up"): Effect.Effect<void> =>
  Metric.update(Metric.withAttributes(deliveries, { status }), 1)
