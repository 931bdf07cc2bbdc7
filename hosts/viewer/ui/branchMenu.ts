import { html, type Html } from "./html.ts"
import { shortText } from "./text.ts"

/** How many branches are listed, those with the newest CI runs. */
const mostListed = 100

/** A menu of links to a page of each branch, the newest first; `all` adds one of all branches. */
export const branchMenu = ({
  all,
  branches,
  pathOf,
  shown
}: {
  readonly branches: ReadonlyArray<string>
  readonly shown: string | undefined
  readonly all: boolean
  readonly pathOf: (branch: string | undefined) => string
}): Html => {
  const names = branches.slice(0, mostListed)
  const listed = shown === undefined || names.includes(shown) ? names : [shown, ...names]
  const nameOf = (branch: string | undefined) =>
    branch === undefined ? "All branches" : html`<bdi>${shortText(branch, 60)}</bdi>`
  return html`<details class="menu branches">
    <summary><span class="label">Branch</span> ${nameOf(shown)}</summary>
    <div>
      ${[...(all ? [undefined] : []), ...listed].map(
        (branch) =>
          html`<a href="${pathOf(branch)}" ${branch === shown ? html`aria-current="true"` : ""}>${nameOf(branch)}</a>`
      )}
    </div>
  </details>`
}
