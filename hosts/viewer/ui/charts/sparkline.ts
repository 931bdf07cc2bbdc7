import { scaleBand, scalePoint } from "d3-scale"
import type { TestOutcome } from "../../../../core/model/TestHistory.ts"
import { recentResults } from "../../../../core/rules/testHistory.ts"
import { html, type Html } from "../html.ts"
import type { CiRunOutcome } from "./marks.ts"

const outcomeOf: Readonly<Record<string, TestOutcome>> = { p: "passed", f: "failed", k: "flaky" }
const height = 22

const x = scaleBand(
  Array.from({ length: recentResults }, (_, at) => at),
  [0, 150]
).paddingInner(0.3)
// The worse, the taller: the shape of a bar says what its colour does.
const top = scalePoint<TestOutcome>(["failed", "flaky", "passed"], [0, height - 5])

const textOf = (shown: ReadonlyArray<CiRunOutcome>, of: string): string => {
  const count = (outcome: CiRunOutcome) => shown.filter((one) => one === outcome).length
  const incomplete = count("incomplete") === 0 ? "" : `, ${count("incomplete")} incomplete`
  return `The last ${shown.length} ${of}: ${count("failed")} failed, ${count("flaky")} flaky, ${count("passed")} passed${incomplete}; the newest ${shown.at(-1) ?? "none"}`
}

/** The last 30 outcomes as small bars, the newest last; `of` names what they are of. */
export const sparklineOf = (all: ReadonlyArray<CiRunOutcome>, of: string): Html => {
  const shown = all.slice(-recentResults)
  const first = recentResults - shown.length
  return html`<svg
    class="sparkline"
    viewBox="0 0 150 ${height}"
    preserveAspectRatio="none"
    role="img"
    aria-label="${textOf(shown, of)}"
  >
    <path class="base" d="M0 ${height}H150" />
    ${shown.map((outcome, at) => {
      const y = top(outcome === "incomplete" ? "flaky" : outcome) ?? 0
      return html`<rect
        class="${outcome}"
        x="${(x(first + at) ?? 0).toFixed(1)}"
        y="${y}"
        width="${x.bandwidth().toFixed(1)}"
        height="${height - y}"
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
