import { html } from "ghtml"
import type { Report } from "../Report.ts"
import { counted, listed } from "../words.ts"
import { anchorOf, code, markedCode } from "./text.ts"

const names = { build: "build", preview: "preview", testRun: "test run" } as const

/** What the run left on the target. */
export const ledgerHtml = ({ ledger, run }: Pick<Report, "ledger" | "run">): string => {
  const counts = [...Map.groupBy(ledger, ({ what }) => what)].map(([what, all]) => counted(all.length, names[what]))
  return html`<section aria-labelledby="ledger">
    <h2 id="ledger">What is left on the target</h2>
    !${
      ledger.length === 0
        ? html`<p>Nothing.</p>`
        : html`<p>
              ${listed(counts)}. The interface has no way to remove them. They lie on branches and under names that
              begin with <code>conformance-</code>, and the run touched nothing that it didn't make.
            </p>
            <details class="long-list">
              <summary>The ledger of run !${code(run.id)}</summary>
              <table class="stacks things">
                <thead>
                  <tr>
                    <th scope="col">What</th>
                    <th scope="col">Where</th>
                    <th scope="col">Made by</th>
                  </tr>
                </thead>
                <tbody>
                  !${ledger.map(
                    ({ check, id, url, what }) =>
                      html`<tr>
                        <th scope="row">${names[what]}</th>
                        <td>
                          !${markedCode(url ?? id)}!${url === undefined || url === id ? "" : html`<br />!${markedCode(id)}`}
                        </td>
                        <td><a href="#${anchorOf(check)}">!${code(check)}</a></td>
                      </tr>`
                  )}
                </tbody>
              </table>
            </details>`
    }
  </section>`
}
