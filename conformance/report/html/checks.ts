import { html, type SafeHtml } from "@remix-run/html-template"
import type { Report } from "../Report.ts"
import { needsFix, standings, tally, tallyText } from "../standing.ts"
import { verdictsIn } from "../words.ts"
import { checkHtml } from "./check.ts"

const choice = (value: string, label: string, count: number, isChosen: boolean): SafeHtml =>
  html`<input type="radio" name="shown" id="show-${value}" ${isChosen ? "checked" : ""} /><label
      for="show-${value}"
      class="${value}"
      >${label} <b>${count}</b></label
    >`

/** The filter that chooses which checks are shown. It needs no script. */
const filter = ({ checks }: Report): SafeHtml =>
  html`<fieldset class="filter">
    <legend>Show</legend>
    ${choice("all", "All", checks.length, true)}
    ${tally(checks).map(({ count, standing }) => choice(standing, standings[standing].label, count, false))}
  </fieldset>`

/** How many of the checks that need attention are unfolded. With more, the page would be too long to read. */
const mostOpen = 6

/** Every check of the run by its profile. */
export const checksHtml = (report: Report, configFile: string | undefined): SafeHtml => {
  const open = new Set(report.checks.filter(needsFix).slice(0, mostOpen))
  return html`<section id="checks" aria-labelledby="checks-title">
    <h2 id="checks-title">Checks</h2>
    ${filter(report)}
    ${verdictsIn(report).map(({ name, profile }) => {
      const results = report.checks.filter((one) => one.profile === profile)
      return html`<section class="profile" aria-labelledby="${profile}">
        <h3 id="${profile}">${name} <span class="quiet">${tallyText(results)}</span></h3>
        ${results.map((one) => checkHtml(report, one, { configFile, isOpen: open.has(one) }))}
      </section>`
    })}
  </section>`
}
