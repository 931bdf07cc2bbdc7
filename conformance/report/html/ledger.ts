import { html, type SafeHtml } from "@remix-run/html-template"
import type { Report } from "../Report.ts"
import { counted, resourceNames, resourcesText } from "../words.ts"
import { anchorOf, code, markedCode } from "./text.ts"

const fateOf = (cleanup: Report["cleanup"]): string =>
  cleanup === undefined
    ? "They are left there: the interface has no way to remove them."
    : `Afterwards ${counted(cleanup.removed, "resource")} were deleted, and ${cleanup.left.length} remain.`

/** What the run made on the target, and whether it is still there. */
export const ledgerHtml = ({ cleanup, ledger, run }: Pick<Report, "cleanup" | "ledger" | "run">): SafeHtml => {
  const isCheck = (one: string) => run.planned.includes(one)
  return html`<section aria-labelledby="ledger">
    <h2 id="ledger">What the run made on the target</h2>
    ${
      ledger.length === 0
        ? html`<p>Nothing.</p>`
        : html`<p>
              ${resourcesText(ledger)}. ${fateOf(cleanup)} Their branches begin with <code>conformance-</code>. The run
              changed nothing else.
            </p>
            <details class="long-list">
              <summary>The ledger of run ${code(run.id)}</summary>
              <table class="stacks resources">
                <thead>
                  <tr>
                    <th scope="col">What</th>
                    <th scope="col">Where</th>
                    <th scope="col">Made by</th>
                  </tr>
                </thead>
                <tbody>
                  ${ledger.map(
                    ({ check, id, url, what }) =>
                      html`<tr>
                        <th scope="row">${resourceNames[what]}</th>
                        <td>
                          ${markedCode(url ?? id)}${url === undefined || url === id ? "" : html`<br />${markedCode(id)}`}
                        </td>
                        <td>
                          ${isCheck(check) ? html`<a href="#${anchorOf(check)}">${code(check)}</a>` : code(check)}
                        </td>
                      </tr>`
                  )}
                </tbody>
              </table>
            </details>`
    }
  </section>`
}
