/** How a result looks: a colour and a shape for each outcome, so that nobody has to tell colours apart. */
import { symbol, symbolCircle, symbolDiamond, symbolSquare, symbolTimes } from "d3-shape"
import { DateTime } from "effect"
import type { CiRun, TestOutcome } from "../../../../core/model/TestHistory.ts"
import { importsOf, isIncomplete, type ImportsState } from "../../../../core/rules/imports.ts"
import { html, type Html } from "../html.ts"

/** How a CI run ended: as its worst test, and never passed while an import of it is not complete. */
export type CiRunOutcome = TestOutcome | "incomplete"

/** How an outcome reads. */
export const outcomes: Record<CiRunOutcome, string> = {
  passed: "Passed",
  failed: "Failed",
  flaky: "Flaky",
  incomplete: "Incomplete"
}

/** What is known of the imports of a CI run at a time; without one, what is missing is only incomplete. */
export const importsAt = ({ imports }: Pick<CiRun, "imports">, now?: DateTime.Utc): ImportsState | undefined =>
  importsOf(imports, now === undefined ? 0 : DateTime.toEpochMillis(now))

/** The status of a CI run of which something is missing. */
export const incompletePill = (imports: ImportsState | undefined): Html | undefined =>
  isIncomplete(imports) ? html`<span class="pill incomplete">${imports?.state}</span> ` : undefined

/** The result of a CI run: failed if a test failed, else incomplete if an import is, else flaky if a test is. */
export const worstOf = (ciRun: Pick<CiRun, "failed" | "flaky" | "imports">): CiRunOutcome =>
  ciRun.failed > 0 ? "failed" : isIncomplete(importsAt(ciRun)) ? "incomplete" : ciRun.flaky > 0 ? "flaky" : "passed"

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
