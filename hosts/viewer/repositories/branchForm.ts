import { html, type Html } from "../ui/html.ts"
import type { BranchOfRuns } from "../../../core/ports/TestHistoryStore.ts"
import { shortText } from "../ui/text.ts"
import type { Asked } from "./asked.ts"

/** How many branches are offered, those with the newest CI runs. */
const mostOffered = 100

/** Chooses the branch of a tab; `all` offers all branches too. */
export const branchForm = (
  base: string,
  { owner, repo, tab }: Asked,
  {
    all,
    branches,
    shown
  }: {
    readonly branches: ReadonlyArray<BranchOfRuns>
    readonly shown: string | undefined
    readonly all: boolean
  }
): Html => {
  const names = branches.map(({ branch }) => branch).slice(0, mostOffered)
  const offered = shown === undefined || names.includes(shown) ? names : [shown, ...names]
  return html`<form class="branch" method="get" action="${base}/repositories">
    <input type="hidden" name="owner" value="${owner}" />
    <input type="hidden" name="repo" value="${repo}" />
    ${tab === "overview" ? "" : html`<input type="hidden" name="tab" value="${tab}" />`}
    <label for="branch">Branch</label>
    <select id="branch" name="branch">
      ${all ? html`<option value="">All branches</option>` : ""}
      ${offered.map(
        (name) => html`<option value="${name}" ${name === shown ? "selected" : ""}>${shortText(name, 60)}</option>`
      )}
    </select>
    <button class="quiet">Show</button>
  </form>`
}
