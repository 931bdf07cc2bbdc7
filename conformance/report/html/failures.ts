import { html, type SafeHtml } from "@remix-run/html-template"
import type { CheckResult, Report } from "../Report.ts"
import { needsFix, standingOf, standings } from "../standing.ts"
import { excerpt } from "../visible.ts"
import { anchorOf, code, prose, textHtml } from "./text.ts"

const item = (result: CheckResult): SafeHtml => {
  const { id, level, reason, title, violation } = result
  const standing = standingOf(result)
  const { label, mark } = standings[standing]
  return html`<li class="${standing}">
    <span class="mark" role="img" aria-label="${label}">${mark}</span>
    <span>
      <a href="#${anchorOf(id)}"><bdi>${prose(title)}</bdi></a> <span class="quiet">${level} ${code(id)}</span><br />
      ${violation === undefined ? prose(excerpt(reason ?? "", 300)) : textHtml(excerpt(violation.came, 300))}
    </span>
  </li>`
}

const list = (id: string, title: string, results: ReadonlyArray<CheckResult>): SafeHtml | undefined =>
  results.length === 0
    ? undefined
    : html`<section aria-labelledby="${id}">
        <h2 id="${id}">${title}</h2>
        <ul class="failures">
          ${results.map(item)}
        </ul>
      </section>`

/** What failed and what needs attention, each in two lines with a link to its check on the page. */
export const failuresHtml = ({ checks }: Report): SafeHtml =>
  html`${list("failures", "What failed", checks.filter(needsFix))}${list(
    "look",
    "What needs attention",
    checks.filter((one) => ["blocked", "expected-failure", "warning", "skipped"].includes(standingOf(one)))
  )}`
