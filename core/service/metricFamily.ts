import { Metric } from "effect"

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
