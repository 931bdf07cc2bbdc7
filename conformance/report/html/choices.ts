import { html, type SafeHtml } from "@remix-run/html-template"
import type { Choice, Report } from "../Report.ts"
import { excerpt } from "../visible.ts"
import { counted } from "../words.ts"
import { anchorOf, code, joined } from "./text.ts"

const checkLinks = (checks: ReadonlyArray<string>): SafeHtml => {
  const links = checks.map((id) => html`<a href="#${anchorOf(id)}">${code(id)}</a>`)
  return links.length < 4
    ? joined(links, ", ")
    : html`<details>
        <summary>${links.length} checks</summary>
        ${joined(links, ", ")}
      </details>`
}

const row = ({ answers, silence }: Choice): SafeHtml =>
  html`<tr class="${answers.length > 1 ? "failed" : ""}">
    <th scope="row">${code(silence)}</th>
    <td>
      ${joined(
        answers.map(({ answer }) => code(excerpt(JSON.stringify(answer), 300))),
        html` <b>and</b> `
      )}
    </td>
    <td>
      ${joined(
        answers.map(({ checks }) => checkLinks(checks)),
        html` <b>and</b> `
      )}
    </td>
  </tr>`

/** What the target does where the interface leaves it open. */
export const choicesHtml = ({ choices }: Pick<Report, "choices">): SafeHtml => {
  const broken = choices.filter(({ answers }) => answers.length > 1).length
  return html`<section aria-labelledby="choices">
    <h2 id="choices">Where the interface is silent</h2>
    <p>
      The interface leaves some answers open, such as most status codes. None of these answers is right or wrong. The
      target only has to answer the same situation in the same way throughout the run. It made
      <b>${counted(choices.length, "choice")}</b> and
      ${broken === 0 ? "kept to each of them" : `did not keep to ${broken} of them`}.
    </p>
    ${
      choices.length === 0
        ? ""
        : html`<details class="long-list" ${broken === 0 ? "" : "open"}>
            <summary>The register of choices</summary>
            <table class="stacks choices">
              <thead>
                <tr>
                  <th scope="col">Situation</th>
                  <th scope="col">Answer</th>
                  <th scope="col">Seen by</th>
                </tr>
              </thead>
              <tbody>
                ${choices.toSorted((one, other) => other.answers.length - one.answers.length).map(row)}
              </tbody>
            </table>
          </details>`
    }
  </section>`
}
