/** How a result looks: a colour and a shape for each outcome, so that nobody has to tell colours apart. */
import { symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTimes } from "d3-shape"
import type { TestOutcome } from "../../../../core/model/TestHistory.ts"
import { html, type Html } from "../html.ts"

/** How an outcome reads. */
export const outcomes: Record<TestOutcome, string> = { passed: "Passed", failed: "Failed", flaky: "Flaky" }

/** The result of several tests: failed if one failed, else flaky if one is. */
export const worstOf = ({ failed, flaky }: { readonly failed: number; readonly flaky: number }): TestOutcome =>
  failed > 0 ? "failed" : flaky > 0 ? "flaky" : "passed"

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
</svg>`

/** The mark of an outcome, where a text beside it names the outcome. */
export const mark = (outcome: TestOutcome): Html =>
  html`<svg class="mark ${outcome}" aria-hidden="true"><use href="#mark-${outcome}" /></svg>`

/** What the marks mean, and what else a chart shows. */
export const legend = (more?: string): Html =>
  html`<ul class="legend">
    ${(["passed", "flaky", "failed"] as const).map((outcome) => html`<li>${mark(outcome)} ${outcomes[outcome]}</li>`)}
    ${more === undefined ? "" : html`<li>${more}</li>`}
  </ul>`
