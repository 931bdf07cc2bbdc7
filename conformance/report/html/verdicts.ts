import { html, type SafeHtml } from "@remix-run/html-template"
import type { CheckResult, Report, Verdict } from "../Report.ts"
import { standings, tally } from "../standing.ts"
import { counted, durationText, listed, verdictMeanings, verdictsIn } from "../words.ts"
import { timeHtml, textHtml } from "./text.ts"

const marks: Readonly<Record<Verdict, string>> = { conformant: "✓", partial: "◐", failed: "✗" }

/** A bar with a length for each standing. It uses attributes, because the page's policy forbids inline styles. */
const bar = (results: ReadonlyArray<CheckResult>): SafeHtml => {
  let x = 0
  const parts = tally(results).map(({ count, standing }) => {
    const part = html`<rect class="${standing}" x="${x}" width="${count}" height="1" />`
    x += count
    return part
  })
  return html`<svg
    class="bar"
    viewBox="0 0 ${Math.max(1, results.length)} 1"
    preserveAspectRatio="none"
    aria-hidden="true"
  >
    ${parts}
  </svg>`
}

const card = (report: Report, { name, profile, verdict }: ReturnType<typeof verdictsIn>[number]): SafeHtml => {
  const results = report.checks.filter((one) => one.profile === profile)
  const binding = results.filter(({ level }) => level === "MUST")
  const passed = binding.filter(({ outcome }) => outcome === "passed").length
  return html`<li class="card ${verdict}">
    <h3>${name}</h3>
    <p class="verdict"><span aria-hidden="true">${marks[verdict]}</span> ${verdict}</p>
    ${bar(results)}
    <p class="quiet">${passed} of ${binding.length} binding checks passed</p>
    <ul class="counts">
      ${tally(results).map(
        ({ count, standing }) =>
          html`<li class="${standing}">
            <span class="mark" aria-hidden="true">${standings[standing].mark}</span> ${count}
            ${standings[standing].count}
          </li>`
      )}
    </ul>
  </li>`
}

const adjectives: Readonly<Record<Verdict, string>> = {
  conformant: "conformant",
  partial: "partly conformant",
  failed: "not conformant"
}

/** `conformant in builds and previews, not conformant in test runs`. */
export const verdictText = (report: Pick<Report, "config" | "verdicts">): string =>
  [...Map.groupBy(verdictsIn(report), ({ verdict }) => verdict)]
    .map(([verdict, here]) => `${adjectives[verdict]} in ${listed(here.map(({ name }) => name))}`)
    .join(", ")

/** The verdicts and the counts, at the top of the page. */
export const verdictsHtml = (report: Report): SafeHtml => {
  const { checks, config, run, suite } = report
  const exchanges = checks.reduce((sum, one) => sum + one.exchanges.length, 0)
  return html`<section aria-labelledby="verdicts">
    <h2 id="verdicts">Verdict</h2>
    <p class="lead">
      On ${timeHtml(run.startedAt)}, Slipway's conformance suite ${textHtml(suite.version)} made
      ${counted(checks.length, "check")} of <b>${textHtml(config.url)}</b> in ${durationText(run.durationMs)}, with
      ${counted(exchanges, "request")}. The target is <b>${verdictText(report)}</b>.
    </p>
    <ul class="cards">
      ${verdictsIn(report).map((one) => card(report, one))}
    </ul>
    <details class="legend">
      <summary>What the words mean</summary>
      <dl class="facts">
        ${Object.entries(verdictMeanings).map(
          ([verdict, meaning]) =>
            html`<div>
              <dt>${verdict}</dt>
              <dd>${meaning}.</dd>
            </div>`
        )}
        <div>
          <dt>MUST</dt>
          <dd>
            a sentence that binds without exception. A SHOULD binds unless there is good reason against it; its failure
            is only a warning.
          </dd>
        </div>
        <div>
          <dt><mark>‹redacted 1›</mark></dt>
          <dd>
            a key, token or signature, removed when the run was recorded. Within a check, equal numbers stand for equal
            secrets.
          </dd>
        </div>
      </dl>
    </details>
  </section>`
}
