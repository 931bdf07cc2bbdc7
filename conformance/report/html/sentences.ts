import { html, type SafeHtml } from "@remix-run/html-template"
import { requirements } from "../../requirements/index.ts"
import { bySection, type Requirement } from "../../requirements/Requirement.ts"
import type { CheckResult, Report } from "../Report.ts"
import { bySeriousness, standingOf, standings, type Standing } from "../standing.ts"
import { counted } from "../words.ts"
import { anchorOf, code, joined, prose } from "./text.ts"

/** The most serious standing among results; `undefined` of none. */
const worst = (results: ReadonlyArray<CheckResult>): Standing | undefined =>
  bySeriousness.find((standing) => results.some((one) => standingOf(one) === standing))

const proof = (result: CheckResult): SafeHtml => {
  const { label, mark } = standings[standingOf(result)]
  return html`<span class="proof ${standingOf(result)}"
    ><span class="mark" role="img" aria-label="${label}">${mark}</span>
    <a href="#${anchorOf(result.id)}">${code(result.id)}</a></span
  >`
}

const row = (requirement: Requirement, results: ReadonlyArray<CheckResult>): SafeHtml => {
  const { id, level, section, text } = requirement
  const proofs =
    "unobservable" in requirement
      ? html`<span class="quiet">Can't be seen from outside. ${prose(requirement.unobservable)}</span>`
      : results.length === 0
        ? html`<span class="quiet">Not in this run.</span>`
        : joined(results.map(proof), " ")
  return html`<tr class="${worst(results) ?? ""}">
    <th scope="row">§${section}</th>
    <td>
      ${prose(text)} <span class="quiet"><b class="level">${level}</b> <code>${id}</code></span>
    </td>
    <td>${proofs}</td>
  </tr>`
}

/** Every sentence of the interface with the checks that proved it in this run. */
export const sentencesHtml = ({ checks }: Pick<Report, "checks">): SafeHtml => {
  const rows = requirements
    .toSorted(bySection)
    .map((requirement) => ({ requirement, results: checks.filter((one) => one.requirements.includes(requirement.id)) }))
  const musts = rows.filter(({ requirement }) => requirement.level === "MUST" && "checks" in requirement)
  const seen = musts.filter(({ results }) => results.length > 0)
  const kept = seen.filter(({ results }) => worst(results) === "passed")
  const unseen = requirements.filter((one) => "unobservable" in one).length
  return html`<section aria-labelledby="sentences">
    <h2 id="sentences">The interface, sentence by sentence</h2>
    <p>
      The interface has ${counted(rows.length, "sentence")}. Of the ${musts.length} that bind and show from outside,
      this run looked at <b>${seen.length}</b> and saw all of <b>${kept.length}</b> kept. ${unseen} can't be seen from
      outside, and no verdict depends on them.
    </p>
    <details class="long-list">
      <summary>Every sentence and its checks</summary>
      <table class="stacks sections">
        <thead>
          <tr>
            <th scope="col">Section</th>
            <th scope="col">Sentence</th>
            <th scope="col">Checks</th>
          </tr>
        </thead>
        <tbody>
          ${rows.map(({ requirement, results }) => row(requirement, results))}
        </tbody>
      </table>
    </details>
  </section>`
}
