/** Charts of test results, drawn as SVG. */
import { scaleBand, scaleLinear, scalePoint } from "d3-scale"
import { line, symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTimes } from "d3-shape"
import { DateTime } from "effect"
import type { Repository } from "../../../core/model/Repository.ts"
import type { CiRun, TestOutcome } from "../../../core/model/TestHistory.ts"
import { importsOf, type ImportsState, isIncomplete } from "../../../core/rules/imports.ts"
import { recentResults } from "../../../core/rules/testHistory.ts"
import { paths } from "../access/site.ts"
import { html, type Html, durationText } from "./html.ts"
import { counted } from "./words.ts"

/** How a CI run ended: as its worst test, and never passed while an import of it is not complete. */
export type CiRunOutcome = TestOutcome | "incomplete"

/** How an outcome reads. */
export const outcomes: Record<CiRunOutcome, string> = {
  passed: "Passed",
  failed: "Failed",
  flaky: "Flaky",
  quarantined: "Quarantined",
  incomplete: "Incomplete"
}

/** What is known of the imports of a CI run at a time; without one, what is missing is only incomplete. */
export const importsAt = ({ imports }: Pick<CiRun, "imports">, now?: DateTime.Utc): ImportsState | undefined =>
  importsOf(imports, now === undefined ? 0 : DateTime.toEpochMillis(now))

/** The status of a CI run of which something is missing. */
export const incompletePill = (imports: ImportsState | undefined): Html | undefined =>
  isIncomplete(imports) ? html`<span class="pill incomplete">${imports?.state}</span> ` : undefined

/** The result of a CI run: failed if a test failed, else incomplete if an import is, else quarantined or flaky if a test is. */
export const worstOf = (ciRun: Pick<CiRun, "failed" | "flaky" | "imports" | "quarantined">): CiRunOutcome => {
  if (ciRun.failed > 0) return "failed"
  if (isIncomplete(importsAt(ciRun))) return "incomplete"
  return ciRun.quarantined > 0 ? "quarantined" : ciRun.flaky > 0 ? "flaky" : "passed"
}

const path = (...[type, size]: Parameters<typeof symbol<undefined>>) => symbol(type, size)(undefined) ?? ""

/** The shapes that {@link mark} draws: once in each page that has marks. */
export const markShapes: Html = html`<svg class="unseen" aria-hidden="true" width="0" height="0">
  <symbol id="mark-passed" viewBox="-8 -8 16 16"><path d="${path(symbolCircle, 113)}" fill="currentcolor" /></symbol>
  <symbol id="mark-failed" viewBox="-8 -8 16 16">
    <path d="${path(symbolSquare, 225)}" fill="currentcolor" />
    <path class="cut" d="${path(symbolTimes, 80)}" fill="none" stroke-width="2.4" />
  </symbol>
  <symbol id="mark-flaky" viewBox="-8 -8 16 16">
    <path d="${path(symbolDiamond, 92)}" fill="none" stroke="currentcolor" stroke-width="1.8" />
    <path d="M0-7.2V7.2L-4.2 0Z" fill="currentcolor" />
  </symbol>
  <symbol id="mark-quarantined" viewBox="-8 -8 16 16">
    <path d="${path(symbolSquare, 180)}" fill="none" stroke="currentcolor" stroke-width="1.8" />
    <path d="${path(symbolTimes, 60)}" fill="none" stroke="currentcolor" stroke-width="1.8" />
  </symbol>
  <symbol id="mark-incomplete" viewBox="-8 -8 16 16">
    <path d="${path(symbolCircle, 113)}" fill="none" stroke="currentcolor" stroke-width="2.4" stroke-dasharray="4.7" />
  </symbol>
</svg>`

/** The mark of an outcome, where a text beside it names the outcome. */
export const mark = (outcome: CiRunOutcome): Html =>
  html`<svg class="mark ${outcome}" aria-hidden="true"><use href="#mark-${outcome}" /></svg>`

/** What the marks mean, and what else a chart shows. */
export const legend = (more?: string, others: ReadonlyArray<CiRunOutcome> = []): Html =>
  html`<ul class="legend">
    ${(["passed", "flaky", "failed", ...others] as const).map((outcome) => html`<li>${mark(outcome)} ${outcomes[outcome]}</li>`)}
    ${more === undefined ? "" : html`<li>${more}</li>`}
  </ul>`

/** How many CI runs a strip shows. */
export const stripLength = 30

const stripHeight = 56

const minute = (time: DateTime.Utc): string => DateTime.formatIso(time).slice(0, 16).replace("T", " ")

const ciRunText = ({ commitSha, durationMs, failed, flaky, passed, quarantined, startedAt, ...rest }: CiRun): string =>
  [
    `${outcomes[worstOf({ failed, flaky, quarantined, ...rest })]}:`,
    `${failed} failed, ${quarantined === 0 ? "" : `${quarantined} quarantined, `}${flaky} flaky, ${passed} passed;`,
    ...(commitSha === undefined ? [] : [`commit ${commitSha.slice(0, 7)},`]),
    ...(rest.pr === undefined ? [] : [`#${rest.pr},`]),
    `${durationText(durationMs)},`,
    `${minute(startedAt)} UTC`
  ].join(" ")

/** The last CI runs as bars, the newest at the right: the height is the duration of all tests, colour and mark are the result. */
export const strip = (
  base: string,
  repository: Pick<Repository, "owner" | "repo">,
  ciRuns: ReadonlyArray<CiRun>
): Html => {
  const shown = ciRuns.slice(0, stripLength)
  const longest = Math.max(1, ...shown.map(({ durationMs }) => durationMs))
  const y = scaleLinear([0, longest], [stripHeight - 3, 0])
  return html`<div class="strip">
    <ol>
      ${shown.map((ciRun) => {
        const outcome = worstOf(ciRun)
        const text = ciRunText(ciRun)
        const top = y(ciRun.durationMs)
        const drawn = html`${mark(outcome)}<svg
            class="${outcome}"
            viewBox="0 0 10 ${stripHeight}"
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <rect x="0.5" y="${top.toFixed(1)}" width="9" height="${(stripHeight - top).toFixed(1)}" /></svg
          ><span class="unseen">${text}</span>`
        return html`<li>
          ${ciRun.source === undefined ? html`<span class="bar" title="${text}">${drawn}</span>` : html`<a class="bar" href="${base + paths.source(repository, ciRun.source)}" title="${text}">${drawn}</a>`}
        </li>`
      })}
    </ol>
  </div>`
}

const outcomeOf: Readonly<Record<string, TestOutcome>> = {
  p: "passed",
  f: "failed",
  k: "flaky",
  q: "quarantined"
}
const sparklineHeight = 22

const x = scaleBand(
  Array.from({ length: recentResults }, (_, at) => at),
  [0, 150]
).paddingInner(0.3)
// The worse, the taller: the shape of a bar says what its colour does.
const top = scalePoint<TestOutcome>(["failed", "quarantined", "flaky", "passed"], [0, sparklineHeight - 5])

const outcomesText = (shown: ReadonlyArray<CiRunOutcome>, of: string): string => {
  const count = (outcome: CiRunOutcome) => shown.filter((one) => one === outcome).length
  const others = (["quarantined", "incomplete"] as const).map((outcome) =>
    count(outcome) === 0 ? "" : `, ${count(outcome)} ${outcome}`
  )
  return `The last ${shown.length} ${of}: ${count("failed")} failed, ${count("flaky")} flaky, ${count("passed")} passed${others.join("")}; the newest ${shown.at(-1) ?? "none"}`
}

/** The last 30 outcomes as small bars, the newest last; `of` names what they are of. */
export const sparklineOf = (all: ReadonlyArray<CiRunOutcome>, of: string): Html => {
  const shown = all.slice(-recentResults)
  const first = recentResults - shown.length
  return html`<svg
    class="sparkline"
    viewBox="0 0 150 ${sparklineHeight}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${outcomesText(shown, of)}"
  >
    <path class="base" d="M0 ${sparklineHeight}H150" />
    ${shown.map((outcome, at) => {
      const y = top(outcome === "incomplete" ? "flaky" : outcome) ?? 0
      return html`<rect
        class="${outcome}"
        x="${(x(first + at) ?? 0).toFixed(1)}"
        y="${y}"
        width="${x.bandwidth().toFixed(1)}"
        height="${sparklineHeight - y}"
      />`
    })}
  </svg>`
}

/** The last results of a test: `recent` of a `TestSummary`. */
export const sparkline = (recent: string): Html =>
  sparklineOf(
    Array.from(recent).flatMap((letter) => outcomeOf[letter] ?? []),
    "results"
  )

/** A result, and the page that shows it. */
interface Square {
  readonly outcome: TestOutcome
  readonly href: string
  /** When it was, and of which commit. */
  readonly detail: string
}

/** Results as squares that are links, in the order of a text. */
export const squares = (results: ReadonlyArray<Square>): Html =>
  html`<ol class="squares">
    ${results.map(
      ({ detail, href, outcome }) =>
        html`<li>
          <a class="cell" href="${href}" title="${outcomes[outcome]}, ${detail}"
            >${mark(outcome)}<span class="unseen">${outcomes[outcome]}, ${detail}</span></a
          >
        </li>`
    )}
  </ol>`

/** A result with a duration. */
interface Timed {
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

const plotHeight = 180
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
  const y = scaleLinear([0, most], [plotHeight - margin, margin]).nice(3)
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
      <svg width="64" height="${plotHeight}">
        ${y.ticks(3).map((tick) => html`<text x="58" y="${(y(tick) + 4).toFixed(1)}" text-anchor="end">${durationText(tick)}</text>`)}
      </svg>
    </div>
    <svg class="plot" width="100%" height="${plotHeight}" role="img" aria-label="${text}">
      ${y.ticks(3).map((tick) => html`<line class="grid" x1="0" x2="100%" y1="${y(tick).toFixed(1)}" y2="${y(tick).toFixed(1)}" />`)}
      <svg viewBox="0 0 100 ${plotHeight}" width="100%" height="${plotHeight}" preserveAspectRatio="none">
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
