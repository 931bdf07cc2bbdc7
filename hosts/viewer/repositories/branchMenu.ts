import { html, type Html } from "../ui/html.ts"
import type { BranchOfRuns } from "../../../core/ports/TestHistoryStore.ts"
import { shortText } from "../ui/text.ts"
import { tabPath, type Asked } from "./asked.ts"

/** How many branches are listed, those with the newest CI runs. */
const mostListed = 100

/** A menu of links to a tab of each branch; `all` adds one of all branches. */
export const branchMenu = (
  base: string,
  asked: Asked,
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
  const names = branches.map(({ branch }) => branch).slice(0, mostListed)
  const listed = shown === undefined || names.includes(shown) ? names : [shown, ...names]
  const nameOf = (branch: string | undefined) =>
    branch === undefined ? "All branches" : html`<bdi>${shortText(branch, 60)}</bdi>`
  return html`<details class="menu branches">
    <summary><span class="label">Branch</span> ${nameOf(shown)}</summary>
    <div>
      ${[...(all ? [undefined] : []), ...listed].map(
        (branch) =>
          html`<a href="${tabPath(base, asked, asked.tab, branch)}" ${branch === shown ? html`aria-current="true"` : ""}
            >${nameOf(branch)}</a
          >`
      )}
    </div>
  </details>`
}
