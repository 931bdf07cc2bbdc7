import { html } from "ghtml"

/** Links to the next page of a list and to its beginning; `undefined` ones are omitted. */
export const paging = (label: string, first: string | undefined, next: string | undefined): string =>
  first === undefined && next === undefined
    ? ""
    : html`<nav class="paging" aria-label="${label}">
        !${first === undefined ? "" : html`<a href="${first}">Newest</a>`}
        !${next === undefined ? "" : html`<a href="${next}" rel="next">Older</a>`}
      </nav>`
