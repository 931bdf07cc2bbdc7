import { html, type SafeHtml } from "@remix-run/html-template"
import type { Report } from "../Report.ts"
import { counted, resourceNames, resourcesText } from "../words.ts"
import { block, code } from "./text.ts"

const fateOf = (cleanup: Report["cleanup"]): string =>
  cleanup === undefined
    ? "They are left there: the interface has no way to remove them."
    : `Afterwards ${counted(cleanup.removed, "resource")} were deleted, and ${cleanup.left.length} remain.`

/** What the run made on the target, and whether it is still there. */
export const ledgerHtml = ({ cleanup, ledger, run }: Pick<Report, "cleanup" | "ledger" | "run">): SafeHtml =>
  html`<section aria-labelledby="ledger">
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
              ${block(ledger.map(({ check, id, url, what }) => `${resourceNames[what]} ${url?.includes(id) === true ? url : `${url ?? ""} ${id}`.trim()} ${check}`).join("\n"))}
            </details>`
    }
  </section>`
