import { counted } from "../counted.ts"
import { DateTime } from "effect"
import { scaleLinear, scalePoint } from "d3-scale"
import { line } from "d3-shape"
import type { TestOutcome } from "../../../../core/model/TestHistory.ts"
import { html, type Html } from "../html.ts"
import { durationText } from "../../../../core/rules/amounts.ts"

/** A result with a duration. */
export interface Timed {
  readonly outcome: TestOutcome
  readonly durationMs: number
  /** When it started, in milliseconds since 1970. */
  readonly at: number
}

/** The days of the first, the middle and the last result, each once. */
const daysOf = (results: ReadonlyArray<Timed>): ReadonlyArray<string> => {
  const shown = [results[0], results[Math.floor(results.length / 2)], results.at(-1)]
  return [
    ...new Set(
      shown.flatMap((one) => (one === undefined ? [] : DateTime.formatIso(DateTime.makeUnsafe(one.at)).slice(0, 10)))
    )
  ]
}

const height = 180
const margin = 10

/**
 * The durations of a test's results, the newest at the right, with lines at percentiles. The chart is as wide as its place: what is
 * drawn is placed by percent of the width.
 */
export const durations = (
  results: ReadonlyArray<Timed>,
  percentiles: ReadonlyArray<{ readonly name: string; readonly value: number }>
): Html => {
  const most = Math.max(1, ...results.map(({ durationMs }) => durationMs))
  const y = scaleLinear([0, most], [height - margin, margin]).nice(3)
  const x = scalePoint(
    results.map((_, at) => at),
    [1, 99]
  )
  const xOf = (at: number): number => x(at) ?? 0
  const drawn =
    line<Timed>(
      (_, at) => xOf(at),
      ({ durationMs }) => y(durationMs)
    ).digits(2)(results) ?? ""
  const [low, high] = [Math.min(...results.map(({ durationMs }) => durationMs)), most]
  const text = [
    `Durations of ${counted(results.length, "result")}, from ${durationText(low)} to ${durationText(high)}`,
    ...percentiles.map(({ name, value }) => `${name} ${durationText(value)}`)
  ].join("; ")
  return html`<div class="durations">
    <div class="axis" aria-hidden="true">
      <svg width="64" height="${height}">
        ${y.ticks(3).map((tick) => html`<text x="58" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${durationText(tick)}</text>`)}
      </svg>
    </div>
    <svg class="plot" width="100%" height="${height}" role="img" aria-label="${text}">
      ${y.ticks(3).map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}" />`)}
      <svg viewBox="0 0 100 ${height}" width="100%" height="${height}" preserveAspectRatio="none">
        <path class="line" d="${drawn}" vector-effect="non-scaling-stroke" />
      </svg>
      ${percentiles.map(({ name, value }) => html`<line class="percentile ${name}" x1="0" x2="100%" y1="${y(value).toFixed(1)}" y2="${y(value).toFixed(1)}" />`)}
      ${results.map(
        ({ durationMs, outcome }, at) =>
          html`<use
            class="${outcome}"
            href="#mark-${outcome}"
            x="${xOf(at).toFixed(2)}%"
            y="${y(durationMs).toFixed(1)}"
            width="${outcome === "passed" ? 8 : 12}"
            height="${outcome === "passed" ? 8 : 12}"
            transform="translate(${outcome === "passed" ? "-4 -4" : "-6 -6"})"
          />`
      )}
      ${percentiles.map(
        // Above the line or below it, so that two that are close don't cover each other.
        ({ name, value }, at) =>
          html`<text x="4" y="${(y(value) + (at % 2 === 0 ? 14 : -5)).toFixed(1)}"
            >${name} ${durationText(value)}</text
          >`
      )}
    </svg>
    <p class="days type">${daysOf(results).map((day) => html`<span>${day}</span>`)}</p>
  </div>`
}
