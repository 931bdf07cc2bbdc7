import { html, type SafeHtml } from "@remix-run/html-template"
import type { CheckResult, Report } from "../Report.ts"
import { rerun } from "../rerun.ts"
import { sentencesOf } from "../sentences.ts"
import { needsFix, standingOf, standings } from "../standing.ts"
import { excerpt, visible } from "../visible.ts"
import { counted, durationText } from "../words.ts"
import { exchangeHtml, unansweredHtml } from "./exchange.ts"
import { anchorOf, block, facts, prose, type Fact } from "./text.ts"

/** How many characters are shown of what came. */
const most = 4000

const long = (text: string): SafeHtml => html`<span class="long"><bdi>${visible(excerpt(text, most))}</bdi></span>`

const factsOf = ({ blockedBy, level, outcome, reason, violation }: CheckResult): ReadonlyArray<Fact> => {
  const { label } = standings[standingOf({ level, outcome })]
  return [
    ...(outcome === "passed" ? [] : [["Outcome", html`${label}`] as const]),
    ...(blockedBy === undefined
      ? []
      : [["By", html`<a href="#${anchorOf(blockedBy)}">${visible(blockedBy)}</a>`] as const]),
    ...(violation === undefined
      ? []
      : [["Expected", long(violation.expected)] as const, ["Came", long(violation.came)] as const]),
    ...(reason === undefined
      ? []
      : [["Reason", html`<span class="long"><bdi>${prose(excerpt(reason, most))}</bdi></span>`] as const])
  ]
}

/** Of a check that passed, only their ids: their texts are in the section of all sentences. */
const sentences = (result: CheckResult): SafeHtml => {
  const all = sentencesOf(result)
  return all.length === 0
    ? html`<p class="quiet">
        It proves no sentence: the target must answer consistently what the interface leaves open.
      </p>`
    : html`<h4>${all.length === 1 ? "The sentence" : "The sentences"} of the interface</h4>
        <ul class="sentences">
          ${all.map(
            ({ from, id, level, section, text }) =>
              html`<li>
                ${result.outcome === "passed" ? "" : html`<b class="level">${level}</b> ${prose(text)}`}
                <span class="quiet"
                  >§${section}${from === undefined ? "" : `, follows from §${from.join(", §")}`},
                  <code>${id}</code></span
                >
              </li>`
          )}
        </ul>`
}

/** How many exchanges are shown of a check that isn't folded, and of one that is: a page of all would be too large to send. */
const mostExchanges = { open: 4, folded: 1 } as const

/** The last exchanges of a check that didn't pass. The recording has all of them. */
const exchanges = (report: Report, result: CheckResult, isOpen: boolean): SafeHtml | undefined => {
  const { exchanges, outcome, unanswered } = result
  if (exchanges.length === 0 && unanswered === undefined) return undefined
  const shown = outcome === "passed" ? [] : exchanges.slice(-mostExchanges[isOpen ? "open" : "folded"])
  const opened = needsFix(result) && unanswered === undefined ? shown.length - 1 : shown.length
  const others = exchanges.length - shown.length
  return html`<h4>${counted(exchanges.length, "exchange")}</h4>
    ${others === 0 ? "" : html`<p class="quiet">${shown.length === 0 ? "They" : `The first ${others}`} are in report.json.</p>`}
    ${
      shown.length === 0 && unanswered === undefined
        ? ""
        : html`<ol class="exchanges">
            ${shown.map((one, index) => exchangeHtml(report, one, { isOpen: index === opened }))}
            ${unanswered === undefined ? "" : unansweredHtml(report, unanswered)}
          </ol>`
    }`
}

/** A check, folded to a line or unfolded. */
export const checkHtml = (
  report: Report,
  result: CheckResult,
  { configFile, isOpen }: { readonly configFile: string | undefined; readonly isOpen: boolean }
): SafeHtml => {
  const { durationMs, id, level, title } = result
  const standing = standingOf(result)
  const { label, mark } = standings[standing]
  const known = factsOf(result)
  return html`<details class="check ${standing}" id="${anchorOf(id)}" ${isOpen ? "open" : ""}>
    <summary>
      <span class="mark" role="img" aria-label="${label}">${mark}</span>
      <span class="name"><bdi>${prose(title)}</bdi> <code>${visible(id)}</code></span>
      <span class="level">${level}</span>
    </summary>
    <div class="inside">
      ${known.length === 0 ? "" : facts(known)} ${sentences(result)} ${exchanges(report, result, isOpen)}
      <div class="alone">
        ${
          standing === "passed"
            ? ""
            : html`<h4>To make this check alone</h4>
                ${block(rerun(report, id, configFile))}`
        }
        <p class="quiet">It took ${durationText(durationMs)}.</p>
      </div>
    </div>
  </details>`
}
