/** The form that filters the lists of a tab. */
import { html, type Html } from "../ui/html.ts"
import { tabPath, type Asked } from "./asked.ts"

export const choice = (
  name: string,
  label: string,
  options: Readonly<Record<string, string>>,
  chosen: string | undefined
): Html =>
  html`<label
    >${label}
    <select name="${name}">
      <option value="">Any</option>
      ${Object.entries(options).map(
        ([value, text]) => html`<option value="${value}" ${value === chosen ? "selected" : ""}>${text}</option>`
      )}
    </select></label
  >`

export const field = (name: string, label: string, value: string | number | undefined, more?: Html): Html =>
  html`<label
    >${label} <input name="${name}" value="${value ?? ""}" placeholder="Any" autocomplete="off" ${more}
  /></label>`

/** The fields of a tab in a form that keeps the branch. */
export const filterForm = (
  base: string,
  asked: Asked,
  { fields, isFiltered }: { readonly fields: ReadonlyArray<Html>; readonly isFiltered: boolean }
): Html =>
  html`<form class="filters" method="get" action="${base}/repositories" aria-label="Filters">
    <input type="hidden" name="owner" value="${asked.owner}" />
    <input type="hidden" name="repo" value="${asked.repo}" />
    <input type="hidden" name="tab" value="${asked.tab}" />
    ${asked.branch === undefined ? "" : html`<input type="hidden" name="branch" value="${asked.branch}" />`} ${fields}
    <div class="actions">
      <button>Filter</button>
      ${isFiltered ? html`<a href="${tabPath(base, asked, asked.tab)}">Show all</a>` : ""}
    </div>
  </form>`
